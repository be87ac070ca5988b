// weft/job.h and weft/version.h.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/rma.h"
#include "weft/version.h"

namespace {

using weft_test::SharedBlock;

TEST(Job, EveryStatusHasASentenceOfItsOwn) {
  for (int a = WEFT_RETRY; a <= WEFT_OK; ++a)
    for (int b = WEFT_RETRY; b < a; ++b) EXPECT_STRNE(weft_status_string(a), weft_status_string(b));
  EXPECT_STREQ(weft_status_string(-1000), "unknown status");
}

TEST(Job, TheLibraryHasTheVersionOfItsHeaders) { EXPECT_STREQ(weft_version(), WEFT_VERSION_TEXT); }

std::atomic<uint32_t> seen[weft_test::most_ranks];

RANK_TEST(Job, EveryRankHasItsOwnNumberBelowTheSize) {
  ASSERT_LT(weft_rank(), weft_size());
  ASSERT_LT(weft_host_rank(), weft_host_size());
  if (std::getenv("WEFT_HOST_NAME") == nullptr) {  // else the ranks are dealt to hosts that are none
    EXPECT_EQ(weft_host_size(), weft_size());
    EXPECT_EQ(weft_host_rank(), weft_rank());
  }
  seen[weft_rank()].fetch_add(1);
  weft_barrier();
  if (!weft_test::ranks_are_threads()) return;
  for (weft_rank_t rank = 0; rank < weft_size(); ++rank) EXPECT_EQ(seen[rank], 1u);
}

RANK_TEST(Job, TheThreadModeIsTheOneAskedFor) { EXPECT_EQ(weft_thread_mode_get(), WEFT_THREAD_SERIALIZED); }

RANK_TEST(Job, PollWithNothingToDoReportsNothing) {
  weft_barrier();
  for (int i = 0; i < 100; ++i) EXPECT_GE(weft_poll(), 0);
}

int fail_on_the_last_ranks(void*) {
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 1;
  const int code = weft_rank() >= 2 ? static_cast<int>(40 + weft_rank()) : 0;
  weft_finalize();
  return code;
}

TEST(Job, ThreadsReturnTheFirstFailureByRank) {
  if (!weft_test::ranks_are_threads()) GTEST_SKIP() << "this process is part of a job";
  EXPECT_EQ(weft_run_threads(2, fail_on_the_last_ranks, nullptr), WEFT_OK);
  EXPECT_EQ(weft_run_threads(5, fail_on_the_last_ranks, nullptr), 42);
  EXPECT_EQ(weft_run_threads(0, fail_on_the_last_ranks, nullptr), WEFT_ERR_INVALID);
}

RANK_TEST(Job, TheClockIsTheSameForTheRanksOfAHostAndNeverGoesBack) {
  SharedBlock block(8);
  const uint64_t first = weft_time_ns();
  EXPECT_GE(weft_time_ns(), first);
  // Before the barrier on the previous rank is before now here.
  weft_put_value(weft_test::next_rank(), block.offset(), weft_time_ns(), 8);
  weft_barrier();
  const uint64_t now = weft_time_ns();
  EXPECT_LE(block.words()[0], now);
  EXPECT_LT(now - block.words()[0], 120'000'000'000u);
  const auto start = std::chrono::steady_clock::now();
  const uint64_t slept = weft_time_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto ours = static_cast<double>(weft_time_ns() - slept);
  const std::chrono::duration<double, std::nano> theirs = std::chrono::steady_clock::now() - start;
  EXPECT_GE(ours, 20e6);
  EXPECT_LE(ours, theirs.count());
}

RANK_TEST(Job, ARankIsInItsJob) { EXPECT_EQ(weft_initialized(), 1); }

int see_start_and_end(void*) {
  int wrong = weft_initialized() == 0 ? 0 : 1;
  const uint64_t before = weft_time_ns();
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 100;
  if (weft_initialized() != 1) wrong |= 2;
  // A thread of the program is no rank.
  int others = -1;
  std::thread([&] { others = weft_initialized(); }).join();
  if (others != 0) wrong |= 4;
  weft_finalize();
  if (weft_initialized() != 0) wrong |= 8;
  return wrong | (weft_time_ns() >= before ? 0 : 16);
}

TEST(Job, EachThreadRankIsInItsJobFromInitToFinalize) {
  if (!weft_test::ranks_are_threads()) GTEST_SKIP() << "this process is part of a job";
  EXPECT_EQ(weft_initialized(), 0);
  EXPECT_EQ(weft_run_threads(3, see_start_and_end, nullptr), 0);
  EXPECT_EQ(weft_initialized(), 0);
}

// The process is a rank; its other threads belong to it, whether they have called Weft or not, and outlive the job.
int see_start_and_end_from_another_thread() {
  std::atomic<int> step{0}, answers{0};
  std::thread other([&] {
    for (int look = 0; look < 3; ++look) {
      while (step != 2 * look + 1) std::this_thread::yield();
      if (look == 1) weft_poll();
      if (weft_initialized() == (look == 1 ? 1 : 0) && weft_size() == (look == 1 ? 1 : 0)) ++answers;
      ++step;
    }
  });
  const auto look = [&](int number) {
    step = 2 * number + 1;
    while (step != 2 * number + 2) std::this_thread::yield();
  };
  look(0);
  if (weft_init(nullptr, nullptr) != WEFT_OK) return 100;
  int unattached = -1;
  std::thread([&] { unattached = weft_initialized(); }).join();
  if (weft_initialized() == 1) ++answers;
  look(1);
  weft_finalize();
  look(2);
  other.join();
  return answers == 4 && unattached == 1 && weft_initialized() == 0 ? 0 : 1;
}

TEST(Job, ThreadsOfAProcessAreInItsJob) {
  if (!weft_test::ranks_are_threads()) GTEST_SKIP() << "this process is part of a job";
  EXPECT_EXIT(std::exit(see_start_and_end_from_another_thread()), testing::ExitedWithCode(0), "");
}

TEST(Job, OutsideAJobThereAreNoRanks) {
  if (!weft_test::ranks_are_threads()) GTEST_SKIP() << "this process is part of a job";
  EXPECT_EQ(weft_rank(), 0u);
  EXPECT_EQ(weft_size(), 0u);
}

}  // namespace
