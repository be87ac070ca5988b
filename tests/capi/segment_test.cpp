// weft/segment.h.
#include "weft/segment.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/rma.h"

namespace {

using weft_test::SharedBlock;

unsigned char* base() { return static_cast<unsigned char*>(weft_segment_base()); }

RANK_TEST(Segment, SymmetricAllocationsHaveTheSameOffsetOnEveryRank) {
  SharedBlock table(sizeof(uint64_t) * weft_test::most_ranks);
  auto random = weft_test::random_numbers(1);
  std::vector<size_t> live;
  for (int i = 0; i < 200; ++i) {
    if (live.empty() || random() % 3 != 0) {
      size_t offset = 0;
      ASSERT_EQ(weft_alloc_symmetric(random() % 5000, size_t{1} << (random() % 13), &offset), WEFT_OK);
      EXPECT_NE(offset, 0u);
      live.push_back(offset);
    } else {
      const size_t victim = random() % live.size();
      weft_free_symmetric(live[victim]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    // Local allocations of any number in between must not matter.
    size_t local = 0;
    if (i % 10 == static_cast<int>(weft_rank())) {
      ASSERT_EQ(weft_alloc(1000, 0, &local), WEFT_OK);
      EXPECT_NE(local, 0u);
      weft_free(local);
    }
  }
  uint64_t sum = 0;
  for (size_t offset : live) sum = sum * 31 + offset;
  weft_put_value(0, table.offset() + weft_rank() * sizeof sum, sum, sizeof sum);
  weft_barrier();
  for (weft_rank_t rank = 0; rank < weft_size(); ++rank)
    EXPECT_EQ(weft_get_value(0, table.offset() + rank * sizeof sum, sizeof sum), sum);
  weft_barrier();
  for (size_t offset : live) weft_free_symmetric(offset);
}

RANK_TEST(Segment, NewMemoryIsZeroAndAlignedAsAsked) {
  for (size_t alignment : {size_t{0}, size_t{1}, size_t{8}, size_t{64}, size_t{256}, size_t{4096}, size_t{65536}}) {
    size_t symmetric = 0, local = 0;
    ASSERT_EQ(weft_alloc_symmetric(3000, alignment, &symmetric), WEFT_OK);
    ASSERT_EQ(weft_alloc(3000, alignment, &local), WEFT_OK);
    const size_t unit = alignment == 0 ? 64 : alignment;
    EXPECT_EQ(symmetric % unit, 0u);
    EXPECT_EQ(local % unit, 0u);
    weft_free(local);
    weft_free_symmetric(symmetric);
  }
}

RANK_TEST(Segment, SizeZeroGivesOffsetsOfItsOwn) {
  size_t a = 0, b = 0;
  ASSERT_EQ(weft_alloc_symmetric(0, 0, &a), WEFT_OK);
  ASSERT_EQ(weft_alloc_symmetric(0, 0, &b), WEFT_OK);
  EXPECT_NE(a, b);
  weft_free_symmetric(a);
  weft_free_symmetric(b);
}

RANK_TEST(Segment, AlignmentsThatAreNoPowerOfTwoAreInvalid) {
  size_t offset = 77;
  EXPECT_EQ(weft_alloc_symmetric(100, 3, &offset), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_alloc(100, 96, &offset), WEFT_ERR_INVALID);
  EXPECT_EQ(offset, 77u) << "outputs are written only on success";
}

RANK_TEST(Segment, ExhaustionIsReportedAndChangesNothing) {
  size_t offset = 77;
  EXPECT_EQ(weft_alloc_symmetric(weft_segment_size(), 0, &offset), WEFT_ERR_NO_MEMORY);
  EXPECT_EQ(weft_alloc(weft_segment_size(), 0, &offset), WEFT_ERR_NO_MEMORY);
  EXPECT_EQ(weft_alloc(SIZE_MAX, 0, &offset), WEFT_ERR_NO_MEMORY);
  EXPECT_EQ(offset, 77u);
  // Nearly all of it can be had by either side, and given back.
  const size_t most = weft_segment_size() - (size_t{1} << 20);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(weft_alloc_symmetric(most, 0, &offset), WEFT_OK);
    weft_free_symmetric(offset);
    ASSERT_EQ(weft_alloc(most, 0, &offset), WEFT_OK);
    weft_free(offset);
  }
}

RANK_TEST(Segment, PointersAndOffsetsConvert) {
  SharedBlock block(256);
  EXPECT_EQ(weft_pointer(weft_rank(), block.offset()), block.mine());
  EXPECT_EQ(weft_offset(block.mine() + 17), block.offset() + 17);
  if (void* peer = weft_pointer(weft_test::next_rank(), block.offset()))
    static_cast<uint64_t*>(peer)[0] = 1000 + weft_rank();
  else
    weft_put_value(weft_test::next_rank(), block.offset(), 1000 + weft_rank(), 8);
  weft_barrier();
  EXPECT_EQ(block.words()[0], 1000u + weft_test::previous_rank());
}

RANK_TEST(Segment, CommittedMemoryKeepsItsContent) {
  SharedBlock block(3 << 20);
  std::memset(block.mine(), 0x5c, 3 << 20);
  ASSERT_EQ(weft_segment_commit(block.offset() + 100, (2 << 20) + 12345), WEFT_OK);
  EXPECT_TRUE(std::all_of(block.mine(), block.mine() + (3 << 20), [](unsigned char c) { return c == 0x5c; }));
  EXPECT_EQ(block.mine(), base() + block.offset());
}

}  // namespace
