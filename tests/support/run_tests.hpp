// RUN_ALL_TESTS(), which fails where --gtest_filter leaves nothing to run. Each repetition (--gtest_repeat) of tests on
// simulated ranks has a seed of its own (fault_seed.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "fault_seed.hpp"

namespace weft_test {

class NextFaultSeed : public testing::EmptyTestEventListener {
  void OnTestIterationStart(const testing::UnitTest&, int iteration) override {
    use_fault_seed(static_cast<uint64_t>(iteration));
  }
};

inline int run_tests() {
  testing::UnitTest::GetInstance()->listeners().Append(new NextFaultSeed);
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() != 0) return failed;
  std::fputs("no test has such a name (--gtest_filter)\n", stderr);
  return 1;
}

}  // namespace weft_test
