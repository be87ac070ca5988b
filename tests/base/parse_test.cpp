// How texts become numbers, sizes and ranges of ports.
#include "base/parse.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

using weft::base::parse_list;
using weft::base::parse_number;
using weft::base::parse_port_range;
using weft::base::parse_real;
using weft::base::parse_size;
using weft::base::size_text;

TEST(ParseNumber, TakesDigitsWithinTheRangeOfItsType) {
  EXPECT_EQ(parse_number<uint32_t>("0"), 0u);
  EXPECT_EQ(parse_number<uint32_t>("4294967295"), UINT32_MAX);
  EXPECT_EQ(parse_number<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_number<int>("-1"), -1);
  EXPECT_EQ(parse_number<int>("0007"), 7);
  EXPECT_EQ(parse_number<unsigned>("644", 0, 0777, 8), 0644u);
  EXPECT_FALSE(parse_number<uint32_t>("4294967296"));
  EXPECT_FALSE(parse_number<uint64_t>("18446744073709551616"));
  EXPECT_FALSE(parse_number<int64_t>("9223372036854775808"));
  EXPECT_FALSE(parse_number<int64_t>("-9223372036854775809"));
  EXPECT_FALSE(parse_number<uint32_t>("-1"));
  EXPECT_FALSE(parse_number<unsigned>("8", 0, 0777, 8));
}

TEST(ParseNumber, KeepsBothLimits) {
  EXPECT_EQ(parse_number<int64_t>("2", 2, 5), 2);
  EXPECT_EQ(parse_number<int64_t>("5", 2, 5), 5);
  EXPECT_FALSE(parse_number<int64_t>("1", 2, 5));
  EXPECT_FALSE(parse_number<int64_t>("6", 2, 5));
}

TEST(ParseNumber, RefusesSignsBlanksSuffixesAndNothing) {
  for (const char* text :
       {"", "-", "+", "+1", "--1", " 1", "1 ", "1\n", "1 2", "1,2", "1.0", "1e3", "0x10", "1K", "one"})
    EXPECT_FALSE(parse_number<int64_t>(text)) << text;
  EXPECT_FALSE(parse_number<int64_t>(std::string_view("1\0", 2)));
}

TEST(ParseReal, TakesFiniteDecimalNumbersAndRefusesTheRest) {
  const std::pair<const char*, double> good[] = {{"0", 0}, {"-1", -1}, {"0.5", 0.5}, {".5", 0.5}, {"2e-3", 2e-3}};
  for (auto [text, expected] : good) EXPECT_EQ(parse_real(text), expected) << text;
  for (const char* text : {"", "-", ".", "e3", "+1", " 1", "1 ", "1,5", "1us", "0x1p3", "1e999", "inf", "-inf", "nan"})
    EXPECT_FALSE(parse_real(text)) << text;
}

TEST(ParseSize, TakesSuffixesAndRefusesTheRest) {
  const std::pair<const char*, uint64_t> good[] = {{"0", 0},
                                                   {"1", 1},
                                                   {"64K", 65536},
                                                   {"3m", 3u << 20},
                                                   {"2G", 2ull << 30},
                                                   {"1T", 1ull << 40},
                                                   {"1t", 1ull << 40},
                                                   {"4GB", 4ull << 30},
                                                   {"4GiB", 4ull << 30},
                                                   {"64kb", 65536},
                                                   {"18446744073709551615", UINT64_MAX}};
  for (auto [text, expected] : good) {
    uint64_t value = 7;
    EXPECT_TRUE(parse_size(text, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
  for (const char* text : {"", "K", "-1", " 1", " -1", "+1", "1.5G", "64B", "64Ki", "64KBB", "64 K", "1e6", "0x10",
                           "18446744073709551616", "18446744073709551615K", "16777216T"}) {
    uint64_t value = 7;
    EXPECT_FALSE(parse_size(text, value)) << text;
    EXPECT_EQ(value, 7u) << text;
  }
}

TEST(ParsePortRange, TakesTwoPortsAndRefusesTheRest) {
  const auto range = parse_port_range("50000-50999");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, 50000u);
  EXPECT_EQ(range->high, 50999u);
  EXPECT_EQ(range->count(), 1000u);
  EXPECT_EQ(parse_port_range("65535-65535")->count(), 1u);
  for (const char* text :
       {"", "-", "50000", "50000-", "-50000", "50001-50000", "0-5", "50000-65536", "1-99999999999", "99999999999-3",
        "50000:50999", "50000,50999", " 1-2", "1-2 ", "1--2", "1-2-3", "a-b", "+1-2"})
    EXPECT_FALSE(parse_port_range(text)) << text;
}

TEST(ParseList, HasTheWordsWithoutBlanksAroundThem) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(parse_list("eth0"), Words{"eth0"});
  EXPECT_EQ(parse_list(" eth0 ,\teth 1,eth0 "), (Words{"eth0", "eth 1", "eth0"}));
  EXPECT_EQ(parse_list(""), Words{""});
  EXPECT_EQ(parse_list(" \t"), Words{""});
  EXPECT_EQ(parse_list(",a, ,"), (Words{"", "a", "", ""}));
}

TEST(SizeText, UsesTheUnitThatFits) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(1000), "1000 bytes");
  EXPECT_EQ(size_text(64u << 10), "64 KiB");
  EXPECT_EQ(size_text(3u << 29), "1.5 GiB");
  EXPECT_EQ(size_text(384ull << 40), "384 TiB");
}

}  // namespace
