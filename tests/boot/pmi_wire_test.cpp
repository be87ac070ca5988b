#include "boot/pmi_wire.hpp"

#include <gtest/gtest.h>

#include <random>

#include "boot/boot.hpp"

namespace weft::boot {
namespace {

TEST(PmiMessage, HasItsCommandAndItsFields) {
  const auto message = PmiMessage::parse("cmd=put kvsname=space key=a-1 value=x=y");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->command(), "put");
  EXPECT_EQ(message->find("key"), "a-1");
  EXPECT_EQ(message->find("value"), "x=y");
  EXPECT_FALSE(message->find("nothing"));
}

TEST(PmiMessage, MayHaveAnEmptyValueAndBlanksToSpare) {
  const auto message = PmiMessage::parse("cmd=get_result rc=0  value= ");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->find("value"), "");
}

TEST(PmiMessage, RefusesLinesThatAreNotOfItsForm) {
  for (const std::string_view line :
       {"", " ", "hello", "cmd", "=put", "cmd= key=a", "key=a cmd=put", "cmd=put key", "cmd=put =a",
        "cmd=put key=a key=b", "cmd=put key=\x01", "cmd=put key=\xc3\xa4", "cmd=put\r"})
    EXPECT_FALSE(PmiMessage::parse(line)) << line;
  EXPECT_FALSE(PmiMessage::parse(std::string_view("cmd=put\0", 8)));
}

TEST(PmiMessage, ReadsNumbersWithinTheirRangeOnly) {
  const auto message = PmiMessage::parse("cmd=x a=12 b=-1 c=1x d= e=99999999999999999999 f=+1");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->number("a", 0, 12), 12);
  EXPECT_EQ(message->number("b", -1, 0), -1);
  EXPECT_FALSE(message->number("a", 0, 11));
  for (const std::string_view name : {"c", "d", "e", "f", "absent"})
    EXPECT_FALSE(message->number(name, -5, 99)) << name;
}

TEST(PmiValues, SurviveTheWireWhateverTheyHold) {
  std::mt19937 random(7);
  for (size_t size = 0; size <= value_max; ++size) {
    std::string value(size, '\0');
    for (char& c : value) c = static_cast<char>(random());
    const std::string text = pmi_encode(value);
    EXPECT_LT(text.size(), pmi_value_max);
    const auto message = PmiMessage::parse("cmd=put value=" + text);
    ASSERT_TRUE(message);
    ASSERT_EQ(pmi_decode(*message->find("value")), value) << "size " << size;
  }
}

TEST(PmiValues, ThatNobodyEncodedAreRefused) {
  for (const std::string_view text : {"A", "AAAAA", "AA=", "A A", "AA~A"}) EXPECT_FALSE(pmi_decode(text)) << text;
}

TEST(PmiLines, AreCutFromPiecesOfAnySize) {
  PmiLines lines;
  for (const char c : std::string_view("one\ntwo\n\nthr")) lines.append({&c, 1});
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "two");
  EXPECT_EQ(lines.next(), "");
  EXPECT_FALSE(lines.next());
  lines.append("ee\n");
  EXPECT_EQ(lines.next(), "three");
}

TEST(PmiLines, NoticeALineWithoutEnd) {
  PmiLines lines;
  lines.append(std::string(pmi_line_max - 1, 'x'));
  EXPECT_FALSE(lines.overlong());
  lines.append("x");
  EXPECT_TRUE(lines.overlong());
}

}  // namespace
}  // namespace weft::boot
