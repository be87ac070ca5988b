#include "sim/fault_plan.hpp"

#include <gtest/gtest.h>

namespace weft::sim {
namespace {

FaultPlan plan_of(std::string_view text) {
  FaultPlan plan;
  EXPECT_EQ(parse_faults(text, plan), "") << text;
  return plan;
}

TEST(FaultPlan, EveryKindIsRead) {
  const FaultPlan plan = plan_of(
      "delay=0.25:1.5us,drop=0.125,retry=0.5,reorder,schedule,slow=h3:4,slow=h0:1.5,cut=h3@2ms,dead=h7@0s,only=5-99,"
      "seed=7");
  EXPECT_EQ(plan.delay, 0.25);
  EXPECT_EQ(plan.most_delay, 1500u);
  EXPECT_EQ(plan.drop, 0.125);
  EXPECT_EQ(plan.retry, 0.5);
  EXPECT_EQ(plan.reorder, 0.5);
  EXPECT_EQ(plan.advance, 200u);
  ASSERT_EQ(plan.slow.size(), 2u);
  EXPECT_EQ(plan.slow[1].factor, 1.5);
  ASSERT_EQ(plan.losses.size(), 2u);
  EXPECT_EQ(plan.losses[0].host, 3u);
  EXPECT_EQ(plan.losses[0].when, 2'000'000u);
  EXPECT_FALSE(plan.losses[0].dies);
  EXPECT_TRUE(plan.losses[1].dies);
  EXPECT_EQ(plan.first, 5u);
  EXPECT_EQ(plan.last, 99u);
  EXPECT_EQ(plan.seed, 7u);
}

TEST(FaultPlan, NothingIsAPlanWithoutFaults) {
  EXPECT_FALSE(plan_of("").changes_network());
  EXPECT_FALSE(plan_of("seed=3,retry=0.5,schedule=1us").changes_network());
  EXPECT_TRUE(plan_of("dead=h1@1s").changes_network());
}

TEST(FaultPlan, WhatIsWrongIsNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"delai=0.1:5us", "there is no 'delai'; did you mean delay?"},
      {"x", "there is no 'x', only delay, drop, retry, reorder, schedule, slow, cut, dead, only, seed"},
      {"seed=1,,drop=0.1", "there is no '', only"},
      {"delay=0.1", "delay is '0.1', expected a probability and a time with its unit, as 0.1:5us"},
      {"delay=2:5us", "delay is '2', expected a probability from 0 to 1"},
      {"delay=0.1:0us", "delay is '0.1:0us', expected a probability and a time"},
      {"drop=1", "drop is '1', expected a probability from 0 to below 1"},
      {"retry=1.5", "retry is '1.5', expected a probability from 0 to below 1"},
      {"retry=-0.1", "retry is '-0.1'"},
      {"reorder=often", "reorder is 'often', expected a probability from 0 to 1"},
      {"drop", "drop needs a value"},
      {"schedule=soon", "schedule is 'soon', expected a time with its unit, as 200ns, or no value"},
      {"slow=3:4", "slow is '3:4', expected a host and a factor from 1 on, as h3:4"},
      {"slow=h3:0.5", "slow is 'h3:0.5', expected"},
      {"cut=h3", "cut is 'h3', expected a host and a time since the start with its unit, as h3@2ms"},
      {"dead=h@1s", "dead is 'h@1s', expected"},
      {"dead=h7@1", "dead is 'h7@1', expected"},
      {"only=9-3", "only is '9-3', expected the first and the last number, as 0-99"},
      {"seed=x", "seed is 'x', expected a whole number"},
      {"drop=0.1,seed=3,drop=0.2", "drop is given twice"},
      {"schedule,reorder,schedule=1us", "schedule is given twice"},
      {"only=0-9,only=5-5", "only is given twice"},
      {"slow=h1:2,slow=h11:2,slow=h1:3", "slow=h1 is given twice"},
      {"cut=h1@1s,dead=h1@1s,cut=h1@2s", "cut=h1 is given twice"},
  };
  for (const auto& [text, words] : wrong) {
    FaultPlan plan;
    EXPECT_NE(parse_faults(text, plan).find(words), std::string::npos) << text << ": " << parse_faults(text, plan);
  }
}

TEST(FaultPlan, HostsAreThoseOfTheJob) {
  EXPECT_EQ(check_hosts(plan_of("slow=h1:2,cut=h3@1s"), 4), "");
  EXPECT_EQ(check_hosts(plan_of("slow=h1:2,cut=h4@1s"), 4), "there is no host h4: this job has 4, h0 to h3");
  EXPECT_EQ(check_hosts(plan_of("dead=h1@1s"), 1), "there is no host h1: this job has one, h0");
}

TEST(FaultPlan, ASmallerProbabilityMeetsSomeOfTheSameMessages) {
  int small = 0, large = 0;
  for (uint64_t number = 0; number < 10000; ++number) {
    const uint64_t bits = roll(7, Die::drop, stream_of(0, 1, Flow::request), number);
    small += yes(bits, 0.1);
    large += yes(bits, 0.3);
    EXPECT_LE(yes(bits, 0.1), yes(bits, 0.3));
    EXPECT_FALSE(yes(bits, 0));
    EXPECT_TRUE(yes(bits, 1));
  }
  EXPECT_NEAR(small, 1000, 150);
  EXPECT_NEAR(large, 3000, 250);
}

TEST(FaultPlan, DiceDifferBySeedKindStreamAndNumber) {
  const uint64_t bits = roll(7, Die::drop, stream_of(0, 1, Flow::request), 5);
  EXPECT_EQ(bits, roll(7, Die::drop, stream_of(0, 1, Flow::request), 5));
  EXPECT_NE(bits, roll(8, Die::drop, stream_of(0, 1, Flow::request), 5));
  EXPECT_NE(bits, roll(7, Die::delay, stream_of(0, 1, Flow::request), 5));
  EXPECT_NE(bits, roll(7, Die::drop, stream_of(1, 0, Flow::request), 5));
  EXPECT_NE(bits, roll(7, Die::drop, stream_of(0, 1, Flow::reply), 5));
  EXPECT_NE(bits, roll(7, Die::drop, stream_of(0, 1, Flow::request), 6));
}

}  // namespace
}  // namespace weft::sim
