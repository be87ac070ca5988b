// The shared heap (UPC 7.2.2) under random streams of allocations and frees. Every block is filled with a pattern of
// its own where it lies, on all threads if it is global; overlap or loss shows when the pattern is checked.
#include <algorithm>
#include <cstring>
#include <vector>

#include "upc_threads.hpp"

namespace {

using namespace upc_test;

struct Block {
  upcr_pts_t start;
  uint64_t bytes;  // per thread
  bool global;
  unsigned char pattern;
};

void fill_on(uint64_t thread, const Block& block) { upc_memset(on(thread, block.start), block.pattern, block.bytes); }

bool intact_on(uint64_t thread, const Block& block) {
  std::vector<unsigned char> bytes(block.bytes);
  upc_memget(bytes.data(), on(thread, block.start), block.bytes);
  return std::all_of(bytes.begin(), bytes.end(), [&](unsigned char b) { return b == block.pattern; });
}

template <class Visit>
void for_each_thread_of(const Block& block, Visit visit) {
  if (!block.global) return visit(upcr_thread(block.start));
  for (int t = 0; t < threads(); ++t) visit(static_cast<uint64_t>(t));
}

Block allocate(std::mt19937_64& random) {
  Block block{};
  block.bytes = 1 + random() % (random() % 8 == 0 ? 40000 : 300);
  block.global = random() % 2 == 0;
  block.pattern = static_cast<unsigned char>(random());
  block.start = block.global ? upc_global_alloc(static_cast<size_t>(threads()), block.bytes) : upc_alloc(block.bytes);
  REQUIRE(!upcr_is_null(block.start));
  REQUIRE(upcr_phase(block.start) == 0 && block.start.offset % 16 == 0);
  REQUIRE(upcr_thread(block.start) == (block.global ? 0 : static_cast<uint64_t>(me())));
  for_each_thread_of(block, [&](uint64_t t) { fill_on(t, block); });
  return block;
}

void check_and_free(const Block& block) {
  for_each_thread_of(block, [&](uint64_t t) { REQUIRE(intact_on(t, block)); });
  upc_free(block.start);
}

UPC_TEST(heap, random_streams_on_all_threads_at_once) {
  auto random = random_numbers(static_cast<uint64_t>(me()));
  std::vector<Block> live;
  for (int step = 0; step < 600; ++step) {
    if (live.size() < 40 && random() % 5 < 3) {
      live.push_back(allocate(random));
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      check_and_free(live.back());
      live.pop_back();
    }
  }
  for (const Block& block : live) check_and_free(block);
}

// Every thread hands its blocks to the next one, which frees them while their owner allocates.
UPC_TEST(heap, blocks_are_freed_by_other_threads) {
  constexpr uint64_t per_round = 10;
  const upcr_pts_t mail = upc_all_alloc(static_cast<size_t>(threads()), per_round * sizeof(Block));
  auto random = random_numbers(100 + static_cast<uint64_t>(me()));
  const auto next = static_cast<uint64_t>((me() + 1) % threads());
  for (int round = 0; round < 20; ++round) {
    for (uint64_t i = 0; i < per_round; ++i) put(on(next, mail, i * sizeof(Block)), allocate(random));
    barrier();
    for (uint64_t i = 0; i < per_round; ++i)
      check_and_free(get<Block>(on(static_cast<uint64_t>(me()), mail, i * sizeof(Block))));
    barrier();
  }
  upc_all_free(mail);
}

UPC_TEST(heap, memory_comes_back) {
  // Many times the heap in all; only works if freed memory is used again, in every way of freeing.
  const uint64_t big = uint64_t{4} << 20;
  for (int i = 0; i < 60; ++i) {
    const upcr_pts_t mine = upc_alloc(big);
    REQUIRE(!upcr_is_null(mine));
    const upcr_pts_t all = upc_all_alloc(static_cast<size_t>(threads()), big);
    REQUIRE(!upcr_is_null(all));
    upc_free(mine);
    if (i % 2 == 0)
      upc_all_free(all);
    else if (barrier(); me() == threads() - 1)
      upc_free(all);
    barrier();
  }
}

// With WEFT_CHECK freed memory is not used again for a while: that must not cost what it was kept from.
UPC_TEST(heap, local_memory_that_was_freed_leaves_room_for_global) {
  for (int i = 0; i < 30; ++i) {
    const upcr_pts_t mine = upc_alloc(uint64_t{4} << 20);
    REQUIRE(!upcr_is_null(mine));
    upc_free(mine);
  }
  barrier();
  const upcr_pts_t all = upc_all_alloc(static_cast<size_t>(threads()), uint64_t{16} << 20);
  REQUIRE(!upcr_is_null(all));
  upc_all_free(all);
}

UPC_TEST(heap, collective_allocation_gives_all_threads_the_same) {
  const upcr_pts_t box = upc_all_alloc(static_cast<size_t>(threads()), sizeof(upcr_pts_t));
  const upcr_pts_t array = upc_all_alloc(10, 100);
  put(on(static_cast<uint64_t>(me()), box), array);
  barrier();
  for (int t = 0; t < threads(); ++t)
    EXPECT_TRUE(upcr_equal(get<upcr_pts_t>(on(static_cast<uint64_t>(t), box)), array));
  upc_all_free(array);
  upc_all_free(box);
}

UPC_TEST(heap, different_callers_get_different_memory) {
  const upcr_pts_t box = upc_all_alloc(static_cast<size_t>(threads()), sizeof(upcr_pts_t));
  put(on(static_cast<uint64_t>(me()), box), upc_global_alloc(1, 64));
  barrier();
  for (int a = 0; a < threads(); ++a)
    for (int b = 0; b < a; ++b)
      EXPECT_FALSE(upcr_equal(get<upcr_pts_t>(on(static_cast<uint64_t>(a), box)),
                              get<upcr_pts_t>(on(static_cast<uint64_t>(b), box))));
  barrier();
  upc_free(get<upcr_pts_t>(on(static_cast<uint64_t>(me()), box)));
  upc_all_free(box);
}

UPC_TEST(heap, size_zero_and_null) {
  EXPECT_TRUE(upcr_is_null(upc_alloc(0)));
  EXPECT_TRUE(upcr_is_null(upc_global_alloc(0, 8)));
  EXPECT_TRUE(upcr_is_null(upc_global_alloc(8, 0)));
  EXPECT_TRUE(upcr_is_null(upc_all_alloc(0, 0)));
  upc_free(upcr_null());
  upc_all_free(upcr_null());
}

UPC_TEST(heap, what_does_not_fit_gives_null_and_harms_nothing) {
  EXPECT_TRUE(upcr_is_null(upc_alloc(SIZE_MAX)));
  EXPECT_TRUE(upcr_is_null(upc_alloc(size_t{1} << 46)));
  EXPECT_TRUE(upcr_is_null(upc_global_alloc(SIZE_MAX, SIZE_MAX)));
  EXPECT_TRUE(upcr_is_null(upc_all_alloc(size_t{1} << 40, size_t{1} << 40)));
  const upcr_pts_t p = upc_alloc(1000);
  EXPECT_FALSE(upcr_is_null(p));
  upc_free(p);
}

// Both ends grow into the same memory: when one thread has taken all, it can be had again in the other way.
UPC_TEST(heap, the_ends_share_the_memory) {
  const size_t piece = size_t{1} << 20;
  std::vector<upcr_pts_t> taken;
  barrier();
  if (me() == 0) {
    for (;;) {
      const upcr_pts_t p = upc_alloc(piece);
      if (upcr_is_null(p)) break;
      taken.push_back(p);
    }
    EXPECT_GE(taken.size(), 16u);
    for (const upcr_pts_t p : taken) upc_free(p);
    // All of it is thread 0's now, in one range again.
    const upcr_pts_t whole = upc_alloc((taken.size() - 1) * piece);
    EXPECT_FALSE(upcr_is_null(whole));
    upc_free(whole);
  }
  barrier();
}

}  // namespace
