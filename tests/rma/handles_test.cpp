#include "rma/handles.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>
#include <vector>

namespace {

using weft::rma::HandleTable;
using weft::rma::Operation;

TEST(Handles, ARetiredHandleIsNotFoundAgainThoughItsSlotIsReused) {
  HandleTable table(false);
  std::set<weft_handle_t> retired;
  for (int i = 0; i < 2000; ++i) {
    weft_handle_t handle = WEFT_HANDLE_DONE;
    Operation& operation = table.acquire(handle);
    ASSERT_NE(handle, WEFT_HANDLE_DONE);
    ASSERT_EQ(table.find(handle), &operation);
    ASSERT_FALSE(retired.contains(handle));
    ASSERT_TRUE(operation.remote_done());
    table.release(handle);
    ASSERT_EQ(table.find(handle), nullptr);
    retired.insert(handle);
  }
  for (weft_handle_t handle : retired) ASSERT_EQ(table.find(handle), nullptr);
}

TEST(Handles, HandlesNeverIssuedAreNotFound) {
  HandleTable table(false);
  EXPECT_EQ(table.find(WEFT_HANDLE_DONE), nullptr);
  EXPECT_EQ(table.find(12345), nullptr);
  weft_handle_t handle = 0;
  table.acquire(handle);
  EXPECT_EQ(table.find(handle + 1), nullptr);
  EXPECT_EQ(table.find(handle + (uint64_t{1} << 32)), nullptr);
  EXPECT_EQ(table.find(~uint64_t{0}), nullptr);
}

TEST(Handles, AHandleRetiredTwiceDoesNotFreeItsSlotTwice) {
  HandleTable table(false);
  weft_handle_t first = 0, second = 0, third = 0;
  table.acquire(first);
  table.release(first);
  table.release(first);
  Operation& a = table.acquire(second);
  Operation& b = table.acquire(third);
  EXPECT_NE(&a, &b);
  EXPECT_NE(second, third);
}

TEST(Handles, ThousandsLiveAtOnceAndStayWhereTheyAre) {
  HandleTable table(false);
  std::vector<std::pair<weft_handle_t, Operation*>> live;
  for (int i = 0; i < 5000; ++i) {
    weft_handle_t handle = 0;
    Operation& operation = table.acquire(handle);
    operation.expected = static_cast<uint64_t>(i) + 1;
    live.emplace_back(handle, &operation);
  }
  for (size_t i = 0; i < live.size(); ++i) {
    ASSERT_EQ(table.find(live[i].first), live[i].second);
    ASSERT_EQ(live[i].second->expected, i + 1);
  }
}

TEST(Handles, AReusedSlotStartsWithNothingBegun) {
  HandleTable table(false);
  weft_handle_t handle = 0;
  Operation& operation = table.acquire(handle);
  operation.expected = 2;
  EXPECT_FALSE(operation.remote_done());
  operation.completion.finish_local();
  operation.completion.finish_remote();
  EXPECT_FALSE(operation.local_done());
  operation.completion.finish_local();
  EXPECT_TRUE(operation.local_done());
  EXPECT_FALSE(operation.remote_done());
  operation.completion.finish_remote();
  EXPECT_TRUE(operation.remote_done());
  table.release(handle);
  Operation& again = table.acquire(handle);
  EXPECT_EQ(again.expected, 0u);
  EXPECT_TRUE(again.local_done());
  EXPECT_TRUE(again.remote_done());
}

TEST(Handles, SeveralThreadsShareATable) {
  HandleTable table(true);
  std::vector<std::thread> team;
  std::atomic<int> wrong{0};
  for (unsigned seed = 0; seed < 4; ++seed)
    team.emplace_back([&, seed] {
      std::mt19937 random(seed);
      std::vector<std::pair<weft_handle_t, Operation*>> mine;
      for (int i = 0; i < 3000; ++i) {
        if (mine.empty() || random() % 2 == 0) {
          weft_handle_t handle = 0;
          Operation& operation = table.acquire(handle);
          operation.expected = handle;  // nobody else has it
          mine.emplace_back(handle, &operation);
        } else {
          const size_t victim = random() % mine.size();
          auto [handle, operation] = mine[victim];
          if (table.find(handle) != operation || operation->expected != handle) ++wrong;
          table.release(handle);
          mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(victim));
        }
      }
    });
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
