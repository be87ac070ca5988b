// RUN_ALL_TESTS(), which fails where --gtest_filter leaves nothing to run.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

namespace weft_test {

inline int run_tests() {
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() != 0) return failed;
  std::fputs("no test has such a name (--gtest_filter)\n", stderr);
  return 1;
}

}  // namespace weft_test
