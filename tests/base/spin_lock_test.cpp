#include "base/spin_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace {

using weft::base::OptionalGuard;
using weft::base::SpinLock;

TEST(SpinLock, ExcludesAndPublishes) {
  SpinLock lock;
  uint64_t counter = 0;
  std::vector<std::thread> team;
  for (int thread = 0; thread < 4; ++thread)
    team.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        std::lock_guard guard(lock);
        ++counter;
      }
    });
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(counter, 80000u);
}

TEST(SpinLock, AHeldLockCannotBeTaken) {
  SpinLock lock;
  {
    OptionalGuard guard(lock, true);
    EXPECT_FALSE(lock.try_lock());
  }
  {
    OptionalGuard guard(lock, false);
    EXPECT_TRUE(lock.try_lock());
  }
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
}

}  // namespace
