// Vector, indexed and strided transfers (weft/vis.h) in all shapes, against a copy made byte by byte.
#include "weft/vis.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/rma.h"
#include "weft/segment.h"

namespace {

using weft_test::next_rank;
using weft_test::previous_rank;
using weft_test::SharedBlock;

constexpr size_t area = 60000;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr uint64_t shapes = 3;  // every byte costs
#else
constexpr uint64_t shapes = 12;
#endif

// What a transfer is to do, byte by byte: remote offset (in the area) and local index of every byte.
struct Plan {
  std::vector<std::pair<size_t, size_t>> bytes;
};

unsigned char original(size_t i, weft_rank_t rank) { return static_cast<unsigned char>(i * 37 + i / 251 + rank * 101); }

// Runs a put with all three forms and a get with all three forms and compares both sides with the plan. `put` and `get`
// take the form's number, the area's offset and the local memory.
template <class Put, class Get>
void check(const Plan& plan, Put put, Get get) {
  SharedBlock block(area);
  for (int form = 0; form < 3; ++form) {
    std::vector<unsigned char> local(area);
    for (size_t i = 0; i < area; ++i) local[i] = original(i, weft_rank() + 50);
    std::vector<unsigned char> expected(area, 0);
    for (auto [remote, here] : plan.bytes) expected[remote] = original(here, previous_rank() + 50);
    std::memset(block.mine(), 0, area);
    weft_barrier();
    put(form, block.offset(), local.data());
    weft_barrier();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), block.mine())) << "put, form " << form;
    weft_barrier();

    for (size_t i = 0; i < area; ++i) block.mine()[i] = original(i, weft_rank());
    std::ranges::fill(local, static_cast<unsigned char>(0));
    std::ranges::fill(expected, static_cast<unsigned char>(0));
    for (auto [remote, here] : plan.bytes) expected[here] = original(remote, next_rank());
    weft_barrier();
    get(form, block.offset(), local.data());
    EXPECT_EQ(local == expected, true) << "get, form " << form;
    weft_barrier();
  }
}

// The three forms, completed.
template <class Blocking, class WithHandle, class Implicit>
void run_form(int form, Blocking blocking, WithHandle with_handle, Implicit implicit) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  EXPECT_EQ(form == 0 ? blocking() : form == 1 ? with_handle(&handle) : implicit(), WEFT_OK);
  weft_handle_wait(handle);
  weft_nbi_wait();
}

// ---- Vector ----

struct Lists {
  std::vector<std::pair<size_t, size_t>> remote, local;  // start, size
};

// Cuts `total` bytes into parts that lie apart from each other in the area, in random order.
std::vector<std::pair<size_t, size_t>> cut(std::mt19937_64& random, size_t total, size_t largest_part) {
  std::vector<std::pair<size_t, size_t>> parts;
  size_t at = random() % 100;
  while (total > 0) {
    const size_t size = std::min(total, static_cast<size_t>(random() % (largest_part + 1)));
    parts.emplace_back(at, size);
    at += size + (random() % 3 == 0 ? 0 : random() % 40);
    total -= size;
  }
  if (random() % 2 == 0) std::ranges::shuffle(parts, random);
  return parts;
}

Plan plan_of(const Lists& lists) {
  Plan plan;
  std::vector<size_t> far, near;
  for (auto [start, size] : lists.remote)
    for (size_t i = 0; i < size; ++i) far.push_back(start + i);
  for (auto [start, size] : lists.local)
    for (size_t i = 0; i < size; ++i) near.push_back(start + i);
  for (size_t i = 0; i < far.size(); ++i) plan.bytes.emplace_back(far[i], near[i]);
  return plan;
}

void check_vector(const Lists& lists) {
  auto remote_parts = [&](size_t offset) {
    std::vector<weft_remote_part_t> parts;
    for (auto [start, size] : lists.remote) parts.push_back({offset + start, size});
    return parts;
  };
  auto local_parts = [&](unsigned char* memory) {
    std::vector<weft_local_part_t> parts;
    for (auto [start, size] : lists.local) parts.push_back({memory + start, size});
    return parts;
  };
  check(
      plan_of(lists),
      [&](int form, size_t offset, unsigned char* memory) {
        auto r = remote_parts(offset);
        auto l = local_parts(memory);
        run_form(
            form, [&] { return weft_put_vector(next_rank(), r.size(), r.data(), l.size(), l.data()); },
            [&](weft_handle_t* h) {
              return weft_put_vector_nb(next_rank(), r.size(), r.data(), l.size(), l.data(), 0, h);
            },
            [&] { return weft_put_vector_nbi(next_rank(), r.size(), r.data(), l.size(), l.data(), 0); });
      },
      [&](int form, size_t offset, unsigned char* memory) {
        auto r = remote_parts(offset);
        auto l = local_parts(memory);
        run_form(
            form, [&] { return weft_get_vector(next_rank(), l.size(), l.data(), r.size(), r.data()); },
            [&](weft_handle_t* h) {
              return weft_get_vector_nb(next_rank(), l.size(), l.data(), r.size(), r.data(), 0, h);
            },
            [&] { return weft_get_vector_nbi(next_rank(), l.size(), l.data(), r.size(), r.data(), 0); });
      });
}

RANK_TEST(Vector, RandomListsOfPartsArriveWhereTheyBelong) {
  for (uint64_t shape = 0; shape < shapes / 2 + 1; ++shape) {
    auto random = weft_test::random_numbers(100 + shape);
    const size_t total = random() % 20000;
    Lists lists;
    lists.remote = cut(random, total, shape % 2 == 0 ? 90 : 6000);
    lists.local = cut(random, total, shape % 3 == 0 ? 90 : 6000);
    check_vector(lists);
  }
}

RANK_TEST(Vector, PartsOfZeroLengthAndEmptyListsAreAllowed) {
  check_vector({});
  check_vector({{{10, 0}, {20, 5}, {30, 0}, {40, 0}}, {{7, 0}, {100, 2}, {50, 0}, {200, 3}, {9, 0}}});
  check_vector({{{10, 0}, {20, 0}}, {}});
}

RANK_TEST(Vector, SidesOfDifferentSizeAreInvalid) {
  char byte = 0;
  const weft_remote_part_t remote[] = {{65536, 5}};
  const weft_local_part_t local[] = {{&byte, 1}};
  EXPECT_EQ(weft_put_vector(0, 1, remote, 1, local), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_get_vector(0, 1, local, 1, remote), WEFT_ERR_INVALID);
}

// ---- Indexed ----

// `gap`: bytes between remote parts. Shuffled, or in order on both sides.
void check_indexed(size_t remote_size, size_t local_size, size_t total, uint64_t seed, size_t gap = 3,
                   bool shuffled = true) {
  auto random = weft_test::random_numbers(seed);
  std::vector<size_t> remote_starts, local_starts;
  for (size_t i = 0; i < total / remote_size; ++i) remote_starts.push_back(i * (remote_size + gap));
  for (size_t i = 0; i < total / local_size; ++i) local_starts.push_back(i * (local_size + 1) + 11);
  if (shuffled) std::ranges::shuffle(remote_starts, random);
  if (shuffled) std::ranges::shuffle(local_starts, random);
  Lists lists;
  for (size_t start : remote_starts) lists.remote.emplace_back(start, remote_size);
  for (size_t start : local_starts) lists.local.emplace_back(start, local_size);
  auto offsets = [&](size_t offset) {
    auto all = remote_starts;
    for (size_t& start : all) start += offset;
    return all;
  };
  auto addresses = [&](unsigned char* memory) {
    std::vector<void*> all;
    for (size_t start : local_starts) all.push_back(memory + start);
    return all;
  };
  check(
      plan_of(lists),
      [&](int form, size_t offset, unsigned char* memory) {
        auto r = offsets(offset);
        auto l = addresses(memory);
        run_form(
            form,
            [&] {
              return weft_put_indexed(next_rank(), r.size(), r.data(), remote_size, l.size(), l.data(), local_size);
            },
            [&](weft_handle_t* h) {
              return weft_put_indexed_nb(next_rank(), r.size(), r.data(), remote_size, l.size(), l.data(), local_size,
                                         0, h);
            },
            [&] {
              return weft_put_indexed_nbi(next_rank(), r.size(), r.data(), remote_size, l.size(), l.data(), local_size,
                                          0);
            });
      },
      [&](int form, size_t offset, unsigned char* memory) {
        auto r = offsets(offset);
        auto l = addresses(memory);
        run_form(
            form,
            [&] {
              return weft_get_indexed(next_rank(), l.size(), l.data(), local_size, r.size(), r.data(), remote_size);
            },
            [&](weft_handle_t* h) {
              return weft_get_indexed_nb(next_rank(), l.size(), l.data(), local_size, r.size(), r.data(), remote_size,
                                         0, h);
            },
            [&] {
              return weft_get_indexed_nbi(next_rank(), l.size(), l.data(), local_size, r.size(), r.data(), remote_size,
                                          0);
            });
      });
}

RANK_TEST(Indexed, PartsOfEqualSizeArriveWhereTheyBelong) {
  check_indexed(8, 8, 8000, 1);
  check_indexed(8, 24, 24000, 2);
  check_indexed(5000, 10, 40000, 3);
  check_indexed(3000, 3000, 45000, 4);
}

// Each is listed in messages in another way, or in some messages.
RANK_TEST(Indexed, PartsNearEachOtherArriveWhereTheyBelong) {
  check_indexed(8, 40000, 40000, 5);             // one place here
  check_indexed(4, 20000, 20000, 6, 0);          // some join
  check_indexed(8, 8, 40000, 7, 0);              // the same, a place each
  check_indexed(8, 8, 16000, 8, 8, false);       // at one distance
  check_indexed(8, 16000, 16000, 9, 8, false);   // the same, one place here
  check_indexed(8, 24000, 24000, 10, 0, false);  // all join
  check_indexed(1, 3, 9000, 11);
  check_indexed(700, 700, 42000, 12, 40);
  check_indexed(24000, 8, 24000, 13);  // one place there
  check_indexed(12, 12, 36, 14);       // few
}

// In a large segment they are farther apart than a message counts.
RANK_TEST(Indexed, PartsMayLieAtBothEndsOfTheSegment) {
  size_t block = 0;
  const size_t size = weft_segment_size() / 4 * 3;
  ASSERT_EQ(weft_alloc_symmetric(size, 0, &block), WEFT_OK);
  constexpr size_t count = 16;
  std::array<size_t, count> offsets;
  std::array<uint64_t, count> values{}, back{};
  for (size_t i = 0; i < count; ++i) {
    offsets[i] = block + 8 * i + (i % 2 == 0 ? 0 : (size - 4096) / 8 * 8);
    values[i] = 1000 * (weft_rank() + 1) + i;
  }
  void *from = values.data(), *to = back.data();
  EXPECT_EQ(weft_put_indexed(next_rank(), count, offsets.data(), 8, 1, &from, sizeof values), WEFT_OK);
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(weft_get_value(next_rank(), offsets[i], 8), values[i]) << i;
  EXPECT_EQ(weft_get_indexed(next_rank(), 1, &to, sizeof back, count, offsets.data(), 8), WEFT_OK);
  EXPECT_EQ(back, values);
  weft_barrier();
  weft_free_symmetric(block);
}

RANK_TEST(Indexed, SidesOfDifferentSizeAreInvalid) {
  const size_t offset = 65536;
  void* address = nullptr;
  EXPECT_EQ(weft_put_indexed(0, 1, &offset, 8, 1, &address, 4), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_get_indexed(0, 1, &address, 4, 1, &offset, 8), WEFT_ERR_INVALID);
}

// ---- Strided ----

struct Block {
  size_t element;
  std::vector<size_t> count;
  std::vector<ptrdiff_t> remote_stride, local_stride;
  size_t remote_start, local_start;
};

// Strides such that no two elements overlap: a random order of the dimensions, each stepping over all before it.
std::vector<ptrdiff_t> random_strides(std::mt19937_64& random, const Block& block, size_t& start) {
  std::vector<size_t> order(block.count.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (random() % 2 == 0) std::ranges::shuffle(order, random);
  std::vector<ptrdiff_t> stride(block.count.size());
  size_t extent = block.element;
  start = 0;
  for (size_t d : order) {
    const size_t step = extent + (random() % 2 == 0 ? 0 : random() % 9);
    const bool backward = random() % 4 == 0;
    stride[d] = backward ? -static_cast<ptrdiff_t>(step) : static_cast<ptrdiff_t>(step);
    const size_t span = block.count[d] == 0 ? 0 : step * (block.count[d] - 1);
    if (backward) start += span;
    extent += span;
  }
  return stride;
}

Block random_block(uint64_t seed) {
  auto random = weft_test::random_numbers(1000 + seed);
  Block block{};
  block.element = 1 + random() % (random() % 4 == 0 ? 300 : 16);
  const size_t dimensions = random() % 6;
  size_t elements = 1;
  for (size_t d = 0; d < dimensions; ++d) {
    const size_t room = std::max<size_t>(1, std::min<size_t>(4000, 15000 / block.element) / elements);
    block.count.push_back(std::min<size_t>(room, 1 + random() % 9));
    elements *= block.count.back();
  }
  block.remote_stride = random_strides(random, block, block.remote_start);
  block.local_stride = random_strides(random, block, block.local_start);
  REQUIRE(block.element * elements <= area / 3);
  return block;
}

Plan plan_of(const Block& block) {
  Plan plan;
  std::vector<size_t> index(block.count.size(), 0);
  if (std::ranges::find(block.count, size_t{0}) != block.count.end()) return plan;
  for (;;) {
    ptrdiff_t remote = static_cast<ptrdiff_t>(block.remote_start), local = static_cast<ptrdiff_t>(block.local_start);
    for (size_t d = 0; d < index.size(); ++d) {
      remote += static_cast<ptrdiff_t>(index[d]) * block.remote_stride[d];
      local += static_cast<ptrdiff_t>(index[d]) * block.local_stride[d];
    }
    for (size_t i = 0; i < block.element; ++i)
      plan.bytes.emplace_back(static_cast<size_t>(remote) + i, static_cast<size_t>(local) + i);
    size_t d = 0;
    while (d < index.size() && ++index[d] == block.count[d]) index[d++] = 0;
    if (d == index.size()) return plan;
  }
}

void check_strided(const Block& b) {
  const size_t dimensions = b.count.size();
  check(
      plan_of(b),
      [&](int form, size_t offset, unsigned char* memory) {
        const size_t far = offset + b.remote_start;
        unsigned char* near = memory + b.local_start;
        run_form(
            form,
            [&] {
              return weft_put_strided(next_rank(), far, b.remote_stride.data(), near, b.local_stride.data(), b.element,
                                      b.count.data(), dimensions);
            },
            [&](weft_handle_t* h) {
              return weft_put_strided_nb(next_rank(), far, b.remote_stride.data(), near, b.local_stride.data(),
                                         b.element, b.count.data(), dimensions, 0, h);
            },
            [&] {
              return weft_put_strided_nbi(next_rank(), far, b.remote_stride.data(), near, b.local_stride.data(),
                                          b.element, b.count.data(), dimensions, 0);
            });
      },
      [&](int form, size_t offset, unsigned char* memory) {
        const size_t far = offset + b.remote_start;
        unsigned char* near = memory + b.local_start;
        run_form(
            form,
            [&] {
              return weft_get_strided(near, b.local_stride.data(), next_rank(), far, b.remote_stride.data(), b.element,
                                      b.count.data(), dimensions);
            },
            [&](weft_handle_t* h) {
              return weft_get_strided_nb(near, b.local_stride.data(), next_rank(), far, b.remote_stride.data(),
                                         b.element, b.count.data(), dimensions, 0, h);
            },
            [&] {
              return weft_get_strided_nbi(near, b.local_stride.data(), next_rank(), far, b.remote_stride.data(),
                                          b.element, b.count.data(), dimensions, 0);
            });
      });
}

RANK_TEST(StridedBlocks, RandomBlocksArriveWhereTheyBelong) {
  for (uint64_t seed = 0; seed < shapes; ++seed) {
    SCOPED_TRACE(seed);
    check_strided(random_block(seed));
  }
}

RANK_TEST(StridedBlocks, EmptyAndContiguousBlocksAreAllowed) {
  check_strided({8, {}, {}, {}, 100, 50});                           // one element
  check_strided({8, {0}, {8}, {8}, 100, 50});                        // none
  check_strided({8, {5, 0, 3}, {8, 40, 80}, {8, 40, 80}, 100, 50});  // none
  check_strided({0, {5}, {8}, {8}, 100, 50});                        // elements of no bytes
  check_strided({8, {10, 20}, {8, 80}, {8, 80}, 0, 0});              // one contiguous piece
  check_strided({2100, {20}, {2500}, {2100}, 0, 0});                 // rows that go as transfers of their own
  check_strided({16, {10}, {-16}, {16}, 1000, 0});                   // reversed
}

RANK_TEST(StridedBlocks, TooManyDimensionsAreInvalid) {
  std::array<size_t, 17> count{};
  std::array<ptrdiff_t, 17> stride{};
  EXPECT_EQ(weft_put_strided(0, 65536, stride.data(), "", stride.data(), 1, count.data(), 17), WEFT_ERR_INVALID);
}

// ---- Immediate ----

RANK_TEST(Vis, ADeclinedImmediateTransferHasNoEffect) {
  constexpr size_t parts = 40;
  SharedBlock block(parts * 100);
  std::vector<unsigned char> data(parts, 1);
  std::vector<weft_remote_part_t> remote;
  std::vector<weft_local_part_t> local;
  for (size_t i = 0; i < parts; ++i) {
    remote.push_back({block.offset() + i * 100, 1});
    local.push_back({&data[i], 1});
  }
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int status = weft_put_vector_nbi(weft_rank(), parts, remote.data(), parts, local.data(), WEFT_IMMEDIATE);
    if (status == WEFT_OK) {
      weft_nbi_wait();
      EXPECT_EQ(block.mine()[(parts - 1) * 100], 1);
      std::memset(block.mine(), 0, parts * 100);
      continue;
    }
    ASSERT_EQ(status, WEFT_RETRY);
    weft_nbi_wait();
    EXPECT_EQ(std::count(block.mine(), block.mine() + parts * 100, 1), 0);
    std::memset(block.mine(), 0, parts * 100);
    weft_poll();
  }
}

}  // namespace
