// weft/job.h and weft/version.h.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/version.h"

namespace {

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

TEST(Job, OutsideAJobThereAreNoRanks) {
  if (!weft_test::ranks_are_threads()) GTEST_SKIP() << "this process is part of a job";
  EXPECT_EQ(weft_rank(), 0u);
  EXPECT_EQ(weft_size(), 0u);
}

}  // namespace
