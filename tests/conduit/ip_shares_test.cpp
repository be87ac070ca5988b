// How a transfer is shared out among interfaces, and what they are seen to carry.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "conduit/ip/shares.hpp"

namespace {

using namespace weft::conduit::ip;

constexpr size_t kib = 1024, mib = 1024 * kib;
constexpr uint64_t ms = 1'000'000;

// Of interfaces 0, 1, ... with so many bytes under way and such rates.
std::vector<Load> loads_of(std::initializer_list<std::pair<size_t, double>> bytes_and_rates) {
  std::vector<Load> loads;
  for (const auto& [bytes, rate] : bytes_and_rates) loads.push_back({loads.size(), bytes, rate});
  level_rates(loads);
  return loads;
}

// What each interface gets; the parts must follow each other and cover the transfer.
std::map<size_t, size_t> shared(std::vector<Load> loads, size_t size) {
  const Parts parts = parts_of(loads, size);
  std::map<size_t, size_t> got;
  size_t at = 0;
  for (size_t i = 0; i < parts.count; ++i) {
    EXPECT_EQ(parts.of[i].begin, at);
    EXPECT_EQ(at % part_least, 0u);
    EXPECT_GT(parts.of[i].size, 0u);
    at += parts.of[i].size;
    EXPECT_TRUE(got.emplace(parts.of[i].rail, parts.of[i].size).second);
  }
  EXPECT_EQ(at, size);
  return got;
}

using Got = std::map<size_t, size_t>;

TEST(IpShares, EqualLinksHaveTheSameUnderWayAfterwards) {
  EXPECT_EQ(first_done(loads_of({{0, 0}, {0, 0}}), 64 * kib), 0u);
  EXPECT_EQ(first_done(loads_of({{1, 0}, {0, 0}}), 64 * kib), 1u);
  EXPECT_EQ(shared(loads_of({{0, 0}, {0, 0}}), mib), (Got{{0, mib / 2}, {1, mib / 2}}));
  EXPECT_EQ(shared(loads_of({{256 * kib, 0}, {0, 0}}), mib), (Got{{0, 384 * kib}, {1, 640 * kib}}));
  EXPECT_EQ(shared(loads_of({{2 * mib, 0}, {0, 0}}), mib), (Got{{1, mib}}));
}

TEST(IpShares, LinksThatSeemAlmostEqualAreEqual) {
  EXPECT_EQ(first_done(loads_of({{100, 0.6}, {110, 1}}), 64 * kib), 0u);
  EXPECT_EQ(shared(loads_of({{0, 1}, {0, 0.6}}), mib), (Got{{0, mib / 2}, {1, mib / 2}}));
}

TEST(IpShares, ALinkOfWhichNothingIsKnownIsAsFastAsTheFastest) {
  EXPECT_EQ(shared(loads_of({{0, 8}, {0, 1}, {0, 0}}), mib)[2], shared(loads_of({{0, 8}, {0, 1}, {0, 8}}), mib)[2]);
}

TEST(IpShares, ASlowLinkGetsWhatItIsDoneWithInTheSameTime) {
  EXPECT_EQ(first_done(loads_of({{448 * kib, 10}, {0, 1}}), 64 * kib), 0u);
  EXPECT_EQ(first_done(loads_of({{960 * kib, 10}, {0, 1}}), 64 * kib), 0u) << "it must surely be done first";
  EXPECT_EQ(first_done(loads_of({{2 * mib, 10}, {0, 1}}), 64 * kib), 1u);
  EXPECT_EQ(first_done(loads_of({{2 * mib, 10}, {64 * kib, 1}}), 64 * kib), 0u);
  const Got got = shared(loads_of({{0, 1}, {0, 10}}), 4 * mib);
  EXPECT_GE(got.at(0), 128 * kib);
  EXPECT_LT(got.at(0), 384 * kib);
}

TEST(IpShares, ALinkThatIsTooSlowForAPartGetsNone) {
  EXPECT_EQ(shared(loads_of({{0, 10}, {0, 1}}), 128 * kib), (Got{{0, 128 * kib}}));
  EXPECT_EQ(shared(loads_of({{0, 1}, {0, 1000}}), mib), (Got{{1, mib}}));
}

TEST(IpShares, WhateverIsUnderWayAPartEndsAtAMultipleAndAllOfTheTransferIsShared) {
  for (size_t size : {128 * kib, 128 * kib + 1, mib - 1, 3 * mib + 12345})
    for (size_t first : {size_t{0}, size_t{1}, 100 * kib + 7, 5 * mib})
      for (double rate : {0.0, 0.3, 7.7})
        shared(loads_of({{first, 1}, {4 * kib, rate}, {first / 2, 0.1}, {0, 2}}), size);
}

// A link of so many bytes per nanosecond does `count` transfers, one after the other.
void carries(Pace& pace, double rate, size_t count, size_t size, uint64_t& now) {
  for (size_t i = 0; i < count; ++i) {
    pace.began(size, now);
    now += static_cast<uint64_t>(static_cast<double>(size) / rate);
    pace.looked(0, now);
  }
}

TEST(IpShares, ARateIsWhatHasCrossedWhileSomethingWasUnderWay) {
  Pace pace;
  uint64_t now = 1000 * ms;
  EXPECT_EQ(pace.rate(now), 0);
  carries(pace, 0.1, 3, 64 * kib, now);
  EXPECT_EQ(pace.rate(now), 0) << "that is not enough to say";
  carries(pace, 0.1, 100, 64 * kib, now);
  EXPECT_NEAR(pace.rate(now), 0.1, 0.001);
  EXPECT_NEAR(pace.rate(now + 5000 * ms), 0.1, 0.001) << "a pause says nothing of the link";
  carries(pace, 0.01, 100, 64 * kib, now);
  EXPECT_NEAR(pace.rate(now), 0.01, 0.001) << "it follows the link";
}

TEST(IpShares, ARateFallsWhileMuchIsUnderWay) {
  Pace pace;
  uint64_t now = 1000 * ms;
  carries(pace, 0.1, 100, 64 * kib, now);
  pace.began(16 * mib, now);
  EXPECT_LT(pace.rate(now + 1000 * ms), 0.02);
}

TEST(IpShares, AProgramThatLooksLateMakesNoLinkSlow) {
  Pace pace;
  uint64_t now = 1000 * ms;
  carries(pace, 0.1, 100, 64 * kib, now);
  pace.began(64 * kib, now);
  now += 5000 * ms;
  EXPECT_GT(pace.rate(now), 0.08);
  pace.looked(0, now);
  EXPECT_GT(pace.rate(now), 0.08);
}

TEST(IpShares, WhatIsWatchedCountsUntilAllOfItHasCrossed) {
  Pace pace;
  EXPECT_EQ(pace.looked(100, 1), 0u);
  EXPECT_EQ(pace.looked(0, 2), 0u) << "short transfers, which are not shared out";
  pace.began(64 * kib, 10);
  EXPECT_EQ(pace.looked(64 * kib, 20), 0u) << "nothing has crossed";
  EXPECT_EQ(pace.looked(32 * kib, 30), 20u) << "since it was begun";
  EXPECT_EQ(pace.looked(32 * kib, 35), 0u);
  EXPECT_EQ(pace.looked(100 + 16 * kib, 40), 10u) << "since some was last seen to have crossed";
  EXPECT_TRUE(pace.watched());
  EXPECT_EQ(pace.looked(100, 50), 10u);
  EXPECT_EQ(pace.looked(0, 60), 10u);
  EXPECT_FALSE(pace.watched());
}

TEST(IpShares, ALinkThatIsPassedOverIsTriedAgain) {
  Pace pace;
  uint64_t now = 1000 * ms;
  carries(pace, 0.01, 10, 64 * kib, now);
  for (int i = 0; i < 100; ++i) pace.passed_over(ms, now += ms);
  EXPECT_LT(pace.rate(now), 0.02);
  for (int i = 0; i < 2900; ++i) pace.passed_over(ms, now += ms);
  EXPECT_GT(pace.rate(now), 0.1);
  EXPECT_NEAR(pace.measured(), 0.01, 0.001) << "that is only hoped";
  carries(pace, 0.01, 1, 64 * kib, now);
  EXPECT_NEAR(pace.rate(now), 0.01, 0.001);
}

TEST(IpShares, ALinkThatWasDoneAMomentBeforeAnotherWasNotPassedOver) {
  Pace pace;
  uint64_t now = 1000 * ms;
  carries(pace, 0.001, 10, 64 * kib, now);
  pace.passed_over(600 * ms, now + ms);
  EXPECT_NEAR(pace.rate(now + ms), 0.001, 0.0001);
}

}  // namespace
