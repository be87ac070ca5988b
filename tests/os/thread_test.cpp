// Threads that can be had, and those that cannot.
#include "os/thread.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace weft;

TEST(Thread, DoesItsWork) {
  int done = 0;
  os::start_thread("a test", [&] { done = 7; }).join();
  EXPECT_EQ(done, 7);
}

// The limit does not bind root.
void start_beyond_the_limit() {
  const rlimit none{1, 1};
  if ((::getuid() == 0 && ::setuid(65534) != 0) || ::setrlimit(RLIMIT_NPROC, &none) != 0) return;
  os::start_thread("a test", [] {}).join();
}

TEST(Thread, ThatCannotBeHadEndsTheProcessWithALineThatNamesTheLimit) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(start_beyond_the_limit(), testing::ExitedWithCode(1),
              "error: cannot start a thread for a test on host .*: .*; this user may have 1 processes and threads "
              ".ulimit -u, RLIMIT_NPROC.*: raise the limit, or start fewer ranks here");
}

}  // namespace
