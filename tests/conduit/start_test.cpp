// What is said about the start of conduit ofi.
#include "conduit/ofi/start.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using weft::conduit::ofi::slow_start_notice;

TEST(SlowStart, IsToldOfWhereRanksOutnumberTheProcessorsByFar) {
  EXPECT_EQ(slow_start_notice(1, 1), "");
  EXPECT_EQ(slow_start_notice(64, 2), "");
  EXPECT_EQ(slow_start_notice(200, 64), "");
  EXPECT_EQ(slow_start_notice(200, 2),
            "200 ranks of this host open the network, which takes each about 0.1 s of its 2 processors: the job begins "
            "in 10 s or more");
  EXPECT_NE(slow_start_notice(50, 1).find("its 1 processor:"), std::string::npos);
}

}  // namespace
