// The segment's heap against a model that remembers every byte.
#include "core/heap.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using weft::core::SegmentHeap;

constexpr size_t reserved = 4096, size = 1 << 20;

struct Block {
  size_t offset, bytes;
  bool symmetric;
};

TEST(Heap, RandomAllocationsNeverOverlapAndAlwaysFitAgainWhenFreed) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    SegmentHeap heap(reserved, size);
    std::map<size_t, size_t> taken;  // start -> end
    std::vector<Block> blocks;
    testing::internal::CaptureStderr();
    for (int i = 0; i < 3000; ++i) {
      if (!blocks.empty() && random() % 100 < 48) {
        const size_t victim = random() % blocks.size();
        const Block block = blocks[victim];
        ASSERT_TRUE((block.symmetric ? heap.release_symmetric(block.offset) : heap.release_local(block.offset)).ok());
        taken.erase(block.offset);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(victim));
        continue;
      }
      const size_t bytes = random() % (random() % 10 == 0 ? 60000 : 2000);
      const size_t alignment = random() % 4 == 0 ? 0 : size_t{1} << (random() % 15);
      const bool symmetric = random() % 2 == 0;
      size_t offset = 0;
      if (!(symmetric ? heap.allocate_symmetric(bytes, alignment, offset)
                      : heap.allocate_local(bytes, alignment, offset))
               .ok())
        continue;
      ASSERT_GE(offset, reserved);
      ASSERT_LE(offset + bytes, size);
      ASSERT_EQ(offset % (alignment == 0 ? 64 : alignment), 0u);
      const auto next = taken.lower_bound(offset);
      ASSERT_TRUE(next == taken.end() || next->first >= offset + std::max<size_t>(bytes, 1)) << "seed " << seed;
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= offset) << "seed " << seed;
      taken[offset] = offset + bytes;
      blocks.push_back({offset, bytes, symmetric});
    }
    for (const Block& block : blocks)
      ASSERT_TRUE((block.symmetric ? heap.release_symmetric(block.offset) : heap.release_local(block.offset)).ok());
    // All of it in one piece again, from either end.
    size_t offset = 0;
    EXPECT_TRUE(heap.allocate_symmetric(size - reserved, 64, offset).ok()) << "seed " << seed;
    EXPECT_TRUE(heap.release_symmetric(offset).ok());
    EXPECT_TRUE(heap.allocate_local(size - reserved, 64, offset).ok()) << "seed " << seed;
    testing::internal::GetCapturedStderr();
  }
}

// What one rank does with its local memory changes no symmetric offset.
TEST(Heap, TheSameCallsGiveTheSameSymmetricOffsets) {
  SegmentHeap here(reserved, size), there(reserved, size);
  std::mt19937_64 random(5);
  std::vector<size_t> live;
  for (int i = 0; i < 2000; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      const size_t victim = random() % live.size();
      ASSERT_TRUE(here.release_symmetric(live[victim]).ok());
      ASSERT_TRUE(there.release_symmetric(live[victim]).ok());
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    } else {
      size_t a = 1, b = 2, local = 0;
      const size_t bytes = random() % 900;
      ASSERT_TRUE(here.allocate_symmetric(bytes, 0, a).ok());
      ASSERT_TRUE(there.allocate_symmetric(bytes, 0, b).ok());
      ASSERT_EQ(a, b);
      live.push_back(a);
      ASSERT_TRUE(i % 7 != 0 || there.allocate_local(100, 0, local).ok());
      if (live.size() > 300) break;
    }
  }
}

TEST(Heap, ExhaustionSaysWhatWasAskedWhatIsLeftAndWhichSettingToRaise) {
  SegmentHeap heap(reserved, size);
  size_t offset = 77;
  ASSERT_TRUE(heap.allocate_symmetric(1000000, 0, offset).ok());
  offset = 77;
  for (bool symmetric : {true, false}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ((symmetric ? heap.allocate_symmetric(50048, 0, offset) : heap.allocate_local(50048, 0, offset)).code(),
              WEFT_ERR_NO_MEMORY);
    const std::string said = testing::internal::GetCapturedStderr();
    for (const char* part : {"50048 bytes", "44480", "1048576", "WEFT_SEGMENT_SIZE"})
      EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
  }
  EXPECT_EQ(offset, 77u);
}

TEST(Heap, OffsetsThatWereNotAllocatedCannotBeFreed) {
  SegmentHeap heap(reserved, size);
  size_t symmetric = 0, local = 0;
  ASSERT_TRUE(heap.allocate_symmetric(100, 0, symmetric).ok());
  ASSERT_TRUE(heap.allocate_local(100, 0, local).ok());
  EXPECT_FALSE(heap.release_symmetric(local).ok());
  EXPECT_FALSE(heap.release_local(symmetric).ok());
  EXPECT_FALSE(heap.release_symmetric(symmetric + 64).ok());
  EXPECT_TRUE(heap.release_symmetric(symmetric).ok());
  EXPECT_FALSE(heap.release_symmetric(symmetric).ok());
  EXPECT_TRUE(heap.release_local(local).ok());
  EXPECT_FALSE(heap.release_local(local).ok());
}

TEST(Heap, BothArenasShareAllOfTheSegment) {
  SegmentHeap heap(reserved, size);
  size_t low = 0, high = 0, more = 0;
  const size_t half = (size - reserved) / 2;
  ASSERT_TRUE(heap.allocate_symmetric(half, 0, low).ok());
  ASSERT_TRUE(heap.allocate_local(half, 0, high).ok());
  EXPECT_EQ(heap.allocate_local(64, 0, more).code(), WEFT_ERR_NO_MEMORY);
  ASSERT_TRUE(heap.release_symmetric(low).ok());
  EXPECT_TRUE(heap.allocate_local(half, 0, more).ok());
}

// What is called fresh is memory that no block has ever covered.
TEST(Heap, FreshMemoryWasNeverInUse) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    SegmentHeap heap(reserved, size);
    std::vector<bool> used(size, false);
    std::vector<Block> blocks;
    size_t fresh_bytes = 0;
    testing::internal::CaptureStderr();
    for (int i = 0; i < 400; ++i) {
      if (!blocks.empty() && random() % 100 < 48) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        const Block block = blocks.back();
        ASSERT_TRUE((block.symmetric ? heap.release_symmetric(block.offset) : heap.release_local(block.offset)).ok());
        blocks.pop_back();
        continue;
      }
      const bool symmetric = random() % 2 == 0;
      const size_t bytes = 1 + random() % (random() % 10 == 0 ? 200000 : 2000);
      size_t offset = 0, fresh = 0;
      if (!(symmetric ? heap.allocate_symmetric(bytes, 0, offset) : heap.allocate_local(bytes, 0, offset, &fresh)).ok())
        continue;
      for (size_t at = offset; at < offset + std::min(fresh, bytes); ++at)
        ASSERT_FALSE(used[at]) << "seed " << seed << ", offset " << at;
      fresh_bytes += fresh;
      std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
      blocks.push_back({offset, bytes, symmetric});
    }
    testing::internal::GetCapturedStderr();
    EXPECT_GT(fresh_bytes, size_t{0}) << "seed " << seed;
  }
  SegmentHeap heap(reserved, size);
  size_t offset = 0, fresh = 0;
  ASSERT_TRUE(heap.allocate_local(1000, 0, offset, &fresh).ok());
  EXPECT_GE(fresh, size_t{1000});
  ASSERT_TRUE(heap.release_local(offset).ok());
  const size_t first = offset;
  ASSERT_TRUE(heap.allocate_local(3000, 0, offset, &fresh).ok());
  EXPECT_EQ(fresh, first - offset);  // the rest was the first block's
}

TEST(Heap, FindTellsWhichLiveBlockAByteBelongsTo) {
  using Where = SegmentHeap::Where;
  SegmentHeap heap(reserved, size);
  std::atomic<uint64_t> bottom{0};
  heap.publish_local_bottom(bottom);
  EXPECT_EQ(bottom.load(), size);
  size_t symmetric = 0, local = 0;
  ASSERT_TRUE(heap.allocate_symmetric(100, 0, symmetric).ok());
  ASSERT_TRUE(heap.allocate_local(10, 0, local).ok());
  EXPECT_EQ(bottom.load(), local);
  EXPECT_EQ(heap.symmetric_top(), symmetric + 128);
  weft::core::Block block;
  EXPECT_EQ(heap.find(symmetric + 99, block), Where::symmetric);
  EXPECT_EQ(block.start, symmetric);
  EXPECT_EQ(block.size, 100u);
  EXPECT_EQ(heap.find(symmetric + 127, block), Where::symmetric);  // what it was rounded up by
  EXPECT_EQ(heap.find(symmetric + 128, block), Where::nowhere);
  EXPECT_EQ(heap.find(reserved - 1, block), Where::nowhere);
  EXPECT_EQ(heap.find(local, block), Where::local);
  EXPECT_EQ(block.size, 10u);
  ASSERT_TRUE(heap.release_symmetric(symmetric).ok());
  ASSERT_TRUE(heap.release_local(local).ok());
  EXPECT_EQ(heap.find(symmetric, block), Where::nowhere);
  EXPECT_EQ(heap.find(local, block), Where::nowhere);
  EXPECT_EQ(bottom.load(), size);
}

}  // namespace
