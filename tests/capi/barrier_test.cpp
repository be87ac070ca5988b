// The barrier: weft/barrier.h.
#include "weft/barrier.h"

#include <vector>

#include "support/ranks.hpp"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/signal.h"

namespace {

using weft_test::next_rank;
using weft_test::previous_rank;
using weft_test::SharedBlock;

RANK_TEST(Barrier, NobodyLeavesBeforeEverybodyHasCome) {
  SharedBlock block(weft_test::most_ranks * 8);
  for (uint64_t round = 1; round <= 300; ++round) {
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer)
      weft_put_value(peer, block.offset() + weft_rank() * 8, round, 8);
    ASSERT_EQ(weft_barrier(), WEFT_OK);
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) ASSERT_EQ(block.words()[peer], round);
    ASSERT_EQ(weft_barrier(), WEFT_OK);
  }
}

RANK_TEST(Barrier, WorkGoesOnBetweenNotifyAndWait) {
  SharedBlock block(64);
  for (int32_t round = 0; round < 100; ++round) {
    weft_put_value(next_rank(), block.offset(), static_cast<uint64_t>(round), 8);
    ASSERT_EQ(weft_barrier_notify(round, 0), WEFT_OK);
    // Other calls are allowed here, with the peer in whatever phase it is.
    weft_poll();
    weft_get_value(next_rank(), block.offset() + 8, 8);
    ASSERT_EQ(weft_barrier_wait(round, 0), WEFT_OK);
    ASSERT_EQ(block.words()[0], static_cast<uint64_t>(round));
    ASSERT_EQ(weft_barrier(), WEFT_OK);
  }
}

RANK_TEST(Barrier, TrySaysNoUntilEverybodyHasCome) {
  SharedBlock block(64);
  if (weft_size() > 1) {
    // Rank 0 holds back until rank 1 has tried in vain.
    if (weft_rank() == 0) {
      while (__atomic_load_n(block.words(), __ATOMIC_ACQUIRE) == 0) weft_test::progress();
    } else if (weft_rank() == 1) {
      weft_barrier_notify(5, 0);
      for (int i = 0; i < 20; ++i) EXPECT_EQ(weft_barrier_try(5, 0), 0);
      weft_put_signal(0, 0, nullptr, 0, block.offset(), 1, WEFT_SIGNAL_SET);
      while (weft_barrier_try(5, 0) == 0) weft_test::progress();
    }
  }
  if (weft_size() == 1 || weft_rank() != 1) {
    weft_barrier_notify(5, 0);
    int done = 0;
    while ((done = weft_barrier_try(5, 0)) == 0) weft_test::progress();
    EXPECT_EQ(done, 1);
  }
}

RANK_TEST(Barrier, TryTellsAMismatchAndIsOver) {
  weft_barrier_notify(weft_rank() == 0 ? 1 : 2, 0);
  int done = 0;
  while ((done = weft_barrier_try(weft_rank() == 0 ? 1 : 2, 0)) == 0) weft_test::progress();
  EXPECT_EQ(done, weft_size() == 1 ? 1 : WEFT_ERR_MISMATCH);
  EXPECT_EQ(weft_barrier(), WEFT_OK);
}

int barrier_with(int32_t value, unsigned flags) {
  weft_barrier_notify(value, flags);
  return weft_barrier_wait(value, flags);
}

RANK_TEST(Barrier, OneDifferentValueIsAMismatchOnEveryRank) {
  for (weft_rank_t odd = 0; odd < weft_size(); ++odd) {
    for (int32_t value : {0, 1, -1, INT32_MIN, INT32_MAX}) {
      const int32_t mine = weft_rank() == odd ? value ^ 0x100 : value;
      EXPECT_EQ(barrier_with(mine, 0), weft_size() == 1 ? WEFT_OK : WEFT_ERR_MISMATCH);
      EXPECT_EQ(barrier_with(value, 0), WEFT_OK) << "a mismatch is over with its barrier";
    }
  }
}

RANK_TEST(Barrier, AnonymousRanksMatchAnything) {
  for (weft_rank_t named = 0; named < weft_size(); ++named)
    EXPECT_EQ(barrier_with(weft_rank() == named ? 9 : static_cast<int32_t>(weft_rank()),
                           weft_rank() == named ? 0 : WEFT_BARRIER_ANONYMOUS),
              WEFT_OK);
  // Two named ranks that differ, with anonymous ones between.
  if (weft_size() < 3) return;
  for (weft_rank_t other = 1; other < weft_size(); ++other) {
    const bool named = weft_rank() == 0 || weft_rank() == other;
    EXPECT_EQ(barrier_with(weft_rank() == 0 ? 4 : 5, named ? 0 : WEFT_BARRIER_ANONYMOUS), WEFT_ERR_MISMATCH);
  }
}

RANK_TEST(Barrier, AWaitThatDiffersFromItsOwnNotifyIsAMismatchOfThatRank) {
  weft_barrier_notify(3, 0);
  EXPECT_EQ(weft_barrier_wait(weft_rank() == 0 ? 4 : 3, 0), weft_rank() == 0 ? WEFT_ERR_MISMATCH : WEFT_OK);
  weft_barrier_notify(3, 0);
  EXPECT_EQ(weft_barrier_wait(3, weft_rank() == 0 ? WEFT_BARRIER_ANONYMOUS : 0),
            weft_rank() == 0 ? WEFT_ERR_MISMATCH : WEFT_OK);
  EXPECT_EQ(weft_barrier(), WEFT_OK);
}

RANK_TEST(Barrier, ItDoesNotCompleteOutstandingOperationsButWaitedOnesAreVisible) {
  constexpr size_t size = 50000;
  SharedBlock block(size);
  const std::vector<unsigned char> data(size, static_cast<unsigned char>(weft_rank() + 1));
  weft_handle_t handle;
  ASSERT_EQ(weft_put_nb(next_rank(), block.offset(), data.data(), size, WEFT_STREAM, &handle), WEFT_OK);
  weft_barrier();
  weft_handle_wait(handle);
  weft_barrier();
  for (size_t i = 0; i < size; ++i) ASSERT_EQ(block.mine()[i], static_cast<unsigned char>(previous_rank() + 1));
}

}  // namespace
