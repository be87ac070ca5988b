// Pointer-to-shared arithmetic (UPC 6.4.2) against the definition of where element i of an array is (6.5.2.1).
#include <vector>

#include "upc_threads.hpp"

namespace {

using upc_test::random_numbers;
using upc_test::threads;
using Wide = long;  // wide enough for every index used here

// Large enough that elements before the first one have offsets too.
constexpr uint64_t base = uint64_t{1} << 60;

Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

upcr_pts_t place(Wide index, Wide block, Wide size) {
  if (block == 0) return upcr_make(base + static_cast<uint64_t>(index * size), 0, 0);
  const Wide number = floor_div(index, block);
  const Wide phase = index - number * block;
  const Wide row = floor_div(number, threads());
  return upcr_make(base + static_cast<uint64_t>((row * block + phase) * size),
                   static_cast<uint64_t>(number - row * threads()), static_cast<uint64_t>(phase));
}

::testing::AssertionResult same(upcr_pts_t a, upcr_pts_t b) {
  if (a.offset == b.offset && a.where == b.where) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "(" << static_cast<int64_t>(a.offset - base) << ", thread " << upcr_thread(a)
                                       << ", phase " << upcr_phase(a) << ") is not ("
                                       << static_cast<int64_t>(b.offset - base) << ", " << upcr_thread(b) << ", "
                                       << upcr_phase(b) << ")";
}

const std::vector<Wide> blocks = {0, 1, 2, 3, 4, 5, 7, 16, 100, 4096, 1000003, (Wide{1} << 40) - 1};

// Trap 1: negative offsets. Indices on both sides of 0, near block edges and far away.
UPC_TEST(pointer, plus_goes_to_the_element_the_layout_names) {
  auto random = random_numbers(1);
  for (const Wide block : blocks) {
    for (const Wide size : {1, 4, 8, 24}) {
      for (int i = 0; i < 400; ++i) {
        const Wide range = i % 2 == 0 ? 50 : block * 20 + 1000;
        const Wide from = static_cast<Wide>(random() % static_cast<uint64_t>(2 * range)) - range;
        const Wide delta = static_cast<Wide>(random() % static_cast<uint64_t>(2 * range)) - range;
        const upcr_pts_t p = place(from, block, size);
        REQUIRE(same(upcr_add(p, delta, static_cast<uint64_t>(block), static_cast<uint64_t>(size)),
                     place(from + delta, block, size)));
      }
    }
  }
}

UPC_TEST(pointer, steps_of_one_cross_blocks_and_threads) {
  for (const Wide block : blocks) {
    const auto b = static_cast<uint64_t>(block);
    upcr_pts_t up = place(-70, block, 8);
    upcr_pts_t down = place(70, block, 8);
    for (Wide i = -70; i < 70; ++i) {
      REQUIRE(same(up, place(i, block, 8)));
      REQUIRE(same(down, place(-i, block, 8)));
      up = upcr_next(up, b, 8);
      down = upcr_previous(down, b, 8);
    }
  }
}

UPC_TEST(pointer, subscripts_of_declared_arrays) {
  auto random = random_numbers(2);
  for (const Wide block : blocks)
    for (int i = 0; i < 1000; ++i) {
      const Wide index = static_cast<Wide>(random() % (i % 2 == 0 ? 200 : uint64_t{1} << 40));
      REQUIRE(same(upcr_element(base, static_cast<uint64_t>(index), static_cast<uint64_t>(block), 8),
                   place(index, block, 8)));
    }
}

// Trap 2: subtraction inverts addition.
UPC_TEST(pointer, minus_gives_the_distance) {
  auto random = random_numbers(3);
  for (const Wide block : blocks)
    for (int i = 0; i < 1000; ++i) {
      const Wide a = static_cast<Wide>(random() % 20000) - 10000;
      const Wide b = static_cast<Wide>(random() % 20000) - 10000;
      const upcr_pts_t p = place(a, block, 12);
      const upcr_pts_t q = place(b, block, 12);
      REQUIRE(upcr_subtract(p, q, static_cast<uint64_t>(block), 12) == a - b);
      REQUIRE((upcr_equal(p, q) != 0) == (a == b));
    }
}

UPC_TEST(pointer, equality_ignores_the_phase) {
  EXPECT_TRUE(upcr_equal(upcr_make(64, 0, 3), upcr_make(64, 0, 0)));
  EXPECT_FALSE(upcr_equal(upcr_make(64, 0, 3), upcr_make(72, 0, 3)));
  EXPECT_FALSE(upcr_equal(upcr_make(64, 0, 3), upcr_make(64, 1, 3)));
  EXPECT_TRUE(upcr_is_null(upcr_null()));
  EXPECT_FALSE(upcr_is_null(upcr_make(64, 0, 0)));
  EXPECT_TRUE(same(upcr_resetphase(upcr_make(64, 5, 9)), upcr_make(64, 5, 0)));
}

// Trap 17: no small limits.
UPC_TEST(pointer, largest_thread_and_phase_fit) {
  const upcr_pts_t p = upcr_make(UINT64_MAX, UPCR_MAX_THREADS, UPCR_MAX_BLOCK_SIZE);
  EXPECT_EQ(upc_threadof(p), static_cast<size_t>(UPCR_MAX_THREADS));
  EXPECT_EQ(upc_phaseof(p), static_cast<size_t>(UPCR_MAX_BLOCK_SIZE));
  EXPECT_EQ(upc_addrfield(p), UINT64_MAX);
}

UPC_TEST(pointer, division_by_threads_is_exact) {
  auto random = random_numbers(4);
  const auto t = static_cast<uint64_t>(threads());
  for (int i = 0; i < 20000; ++i) {
    const uint64_t n = random() >> (1 + random() % 62);
    REQUIRE(upcr_divide_threads(n) == n / t);
    const uint64_t edge = n / t * t;
    REQUIRE(upcr_divide_threads(edge) == n / t);
    if (edge != 0) REQUIRE(upcr_divide_threads(edge - 1) == (edge - 1) / t);
    const auto s = static_cast<int64_t>(n);
    REQUIRE(upcr_floor_threads(-s) == floor_div(-s, static_cast<int64_t>(t)));
    REQUIRE(upcr_mod_threads(-s) ==
            static_cast<int>(-s - floor_div(-s, static_cast<int64_t>(t)) * static_cast<int64_t>(t)));
  }
  REQUIRE(upcr_divide_threads(INT64_MAX) == static_cast<uint64_t>(INT64_MAX) / t);
}

// 7.2.3.5, against counting.
UPC_TEST(pointer, affinity_size_counts_what_each_thread_has) {
  for (const size_t block : {size_t{1}, size_t{3}, size_t{8}})
    for (size_t total = 0; total < 60; ++total) {
      std::vector<size_t> counted(static_cast<size_t>(threads()));
      for (size_t i = 0; i < total; ++i) ++counted[i / block % counted.size()];
      for (size_t t = 0; t < counted.size(); ++t) REQUIRE(upc_affinitysize(total, block, t) == counted[t]);
    }
  EXPECT_EQ(upc_affinitysize(100, 0, 0), 100u);
  EXPECT_EQ(upc_affinitysize(100, 0, 1), 0u);
}

UPC_TEST(pointer, berkeley_pointer_functions) {
  const upcr_pts_t own = upc_alloc(64);
  void* const local = upcr_local(own);
  EXPECT_TRUE(upcr_equal(bupc_local_to_shared(local, upc_test::me(), 0), own));
  EXPECT_TRUE(upcr_equal(bupc_inverse_cast(local), own));
  int on_stack = 0;
  EXPECT_TRUE(upcr_is_null(bupc_inverse_cast(&on_stack)));
  EXPECT_EQ(upc_cast(own), local);
  EXPECT_EQ(upc_cast(upcr_null()), nullptr);
  EXPECT_TRUE(same(bupc_ptradd(place(5, 3, 8), 3, 8, -7), place(-2, 3, 8)));
  char text[100];
  EXPECT_EQ(bupc_dump_shared(own, text, sizeof text), 0);
  EXPECT_EQ(bupc_dump_shared(own, text, 5), -1);
  EXPECT_EQ(bupc_thread_distance(upc_test::me(), upc_test::me()), 0u);
  upc_free(own);
}

}  // namespace
