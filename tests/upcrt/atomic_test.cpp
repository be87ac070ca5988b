// <upc_atomic.h>, bupc_atomic*, semaphores and signalling puts.
#include <cmath>
#include <cstring>
#include <vector>

#include "upc/upc_types.h"
#include "upc_threads.hpp"

namespace {

using namespace upc_test;

enum Op : int {
  op_get = 0x00800,
  op_set = 0x01000,
  op_cswap = 0x02000,
  op_sub = 0x04000,
  op_inc = 0x08000,
  op_dec = 0x10000
};
constexpr int accessors = op_get | op_set | op_cswap;
constexpr int numeric = UPC_ADD | op_sub | UPC_MULT | op_inc | op_dec | UPC_MAX | UPC_MIN;
constexpr int bitwise = UPC_AND | UPC_OR | UPC_XOR;

// Applies the operation alternately strict and relaxed; gives the value before.
template <class T>
T apply(upcr_pts_t domain, int op, upcr_pts_t p, const T* a = nullptr, const T* b = nullptr) {
  static thread_local int calls = 0;
  T before{};
  (++calls % 2 == 0 ? upc_atomic_strict : upc_atomic_relaxed)(domain, &before, op, p, a, b);
  return before;
}

// Each operation on a location of another thread, with a fetched result and without.
template <class T>
void check_operations(int type) {
  const int ops = accessors | numeric | (std::is_integral_v<T> ? bitwise : 0);
  const upcr_pts_t domain = upc_all_atomicdomain_alloc(type, ops, 0);
  const upcr_pts_t array = upc_all_alloc(static_cast<size_t>(threads()), sizeof(T));
  const upcr_pts_t p = on(static_cast<uint64_t>((me() + 1) % threads()), array);
  const T six = 6, seven = 7, three = 3;
  const auto is = [&](T value) { return get<T>(p) == value; };
  apply(domain, op_set, p, &six);
  REQUIRE(is(6));
  REQUIRE(apply<T>(domain, op_get, p) == 6);
  REQUIRE(apply(domain, UPC_ADD, p, &seven) == 6 && is(13));
  REQUIRE(apply(domain, op_sub, p, &three) == 13 && is(10));
  REQUIRE(apply(domain, UPC_MULT, p, &three) == 10 && is(30));
  REQUIRE(apply<T>(domain, op_inc, p) == 30 && is(31));
  REQUIRE(apply<T>(domain, op_dec, p) == 31 && is(30));
  REQUIRE(apply(domain, UPC_MIN, p, &seven) == 30 && is(7));
  REQUIRE(apply(domain, UPC_MIN, p, &seven) == 7 && is(7));
  REQUIRE(apply(domain, UPC_MAX, p, &three) == 7 && is(7));
  REQUIRE(apply(domain, op_cswap, p, &six, &three) == 7 && is(7));
  REQUIRE(apply(domain, op_cswap, p, &seven, &six) == 7 && is(6));
  if constexpr (std::is_integral_v<T>) {
    REQUIRE(apply(domain, UPC_AND, p, &three) == 6 && is(2));
    REQUIRE(apply(domain, UPC_OR, p, &six) == 2 && is(6));
    REQUIRE(apply(domain, UPC_XOR, p, &three) == 6 && is(5));
  } else {
    const T nan = static_cast<T>(NAN);
    upc_atomic_relaxed(domain, nullptr, op_set, p, &nan, nullptr);
    REQUIRE(std::isnan(apply(domain, UPC_MULT, p, &three)));
  }
  upc_atomic_relaxed(domain, nullptr, op_set, p, &seven, nullptr);
  upc_atomic_relaxed(domain, nullptr, UPC_MULT, p, &six, nullptr);
  REQUIRE(is(42));
  barrier();
  upc_all_atomicdomain_free(domain);
  upc_all_free(array);
}

UPC_TEST(atomic, every_operation_on_every_type) {
  check_operations<int>(UPC_INT);
  check_operations<unsigned>(UPC_UINT);
  check_operations<long>(UPC_LONG);
  check_operations<unsigned long>(UPC_ULONG);
  check_operations<int32_t>(UPC_INT32);
  check_operations<uint32_t>(UPC_UINT32);
  check_operations<int64_t>(UPC_INT64);
  check_operations<uint64_t>(UPC_UINT64);
  check_operations<float>(UPC_FLOAT);
  check_operations<double>(UPC_DOUBLE);
}

// Threads that have processors start each round at the same moment: a barrier would let them sleep.
void start_together(upcr_pts_t domain, upcr_pts_t counter, int64_t round) {
  upc_atomic_relaxed(domain, nullptr, op_inc, counter, nullptr, nullptr);
  while (get_strict<int64_t>(counter) < round * threads()) {
  }
}

UPC_TEST(atomic, concurrent_updates_are_not_lost) {
  const upcr_pts_t ints = upc_all_atomicdomain_alloc(UPC_INT64, UPC_ADD | UPC_MULT | op_get | op_inc, 0);
  const upcr_pts_t doubles = upc_all_atomicdomain_alloc(UPC_DOUBLE, UPC_ADD, 0);
  EXPECT_FALSE(upcr_equal(ints, doubles));
  const upcr_pts_t cells = upc_all_alloc(1, 4 * sizeof(int64_t));
  const upcr_pts_t sum = cells, product = at(cells, 8), halves = at(cells, 16), counter = at(cells, 24);
  if (me() == 0) {
    put(sum, int64_t{0});
    put(product, int64_t{1});
    put(halves, 0.0);
    put(counter, int64_t{0});
  }
  barrier();
  const int64_t one = 1, odd = 3;
  const double half = 0.5;
  // Fewer where each is a message.
  const int updates = upcr_direct() ? 10000 : 200;
  constexpr int rounds = 10;
  for (int round = 1; round <= rounds; ++round) {
    start_together(ints, counter, round);
    for (int i = 0; i < updates; ++i) upc_atomic_relaxed(ints, nullptr, UPC_MULT, product, &odd, nullptr);
    for (int i = 0; i < updates; ++i) upc_atomic_relaxed(ints, nullptr, UPC_ADD, sum, &one, nullptr);
    for (int i = 0; i < updates; ++i) upc_atomic_relaxed(doubles, nullptr, UPC_ADD, halves, &half, nullptr);
  }
  barrier();
  const int64_t all = int64_t{rounds} * updates * threads();
  uint64_t expected = 1;
  for (int64_t i = 0; i < all; ++i) expected *= 3;  // wraps
  EXPECT_EQ(get<int64_t>(sum), all);
  EXPECT_EQ(static_cast<uint64_t>(get<int64_t>(product)), expected);
  EXPECT_EQ(get<double>(halves), 0.5 * static_cast<double>(all));
  EXPECT_EQ(upc_atomic_isfast(UPC_PTS, op_get, cells), 0);
  EXPECT_NE(upc_atomic_isfast(UPC_INT64, UPC_ADD, upcr_make(cells.offset, static_cast<uint64_t>(me()), 0)), 0);
  barrier();
  upc_all_free(cells);
}

// A list that all threads push to with compare-and-swap on a pointer-to-shared.
UPC_TEST(atomic, pointers_to_shared) {
  struct Node {
    upcr_pts_t next;
    int owner;
  };
  const upcr_pts_t domain = upc_all_atomicdomain_alloc(UPC_PTS, accessors, 0);
  const upcr_pts_t head = upc_all_alloc(1, sizeof(upcr_pts_t));
  if (me() == 0) put(head, upcr_null());
  barrier();
  constexpr int pushes = 60;
  for (int i = 0; i < pushes; ++i) {
    const upcr_pts_t node = upc_alloc(sizeof(Node));
    put(at(node, offsetof(Node, owner)), me());
    upcr_pts_t seen = apply<upcr_pts_t>(domain, op_get, head);
    for (;;) {
      put(node, seen);
      // Comparison ignores the phase.
      const upcr_pts_t expected = upcr_make(seen.offset, upcr_thread(seen), upcr_is_null(seen) ? 0 : 5);
      const upcr_pts_t before = apply(domain, op_cswap, head, &expected, &node);
      if (upcr_equal(before, seen)) break;
      seen = before;
    }
  }
  barrier();
  std::vector<int> counted(static_cast<size_t>(threads()));
  int length = 0;
  for (upcr_pts_t p = get<upcr_pts_t>(head); !upcr_is_null(p); p = get<upcr_pts_t>(p), ++length)
    ++counted[static_cast<size_t>(get<int>(at(p, offsetof(Node, owner))))];
  EXPECT_EQ(length, pushes * threads());
  for (const int n : counted) EXPECT_EQ(n, pushes);
  const upcr_pts_t none = upcr_null();
  barrier();
  if (me() == 0) {
    EXPECT_FALSE(upcr_is_null(apply(domain, op_set, head, &none)));
    EXPECT_TRUE(upcr_is_null(get<upcr_pts_t>(head)));
  }
  barrier();
  upc_all_free(head);
}

template <class T, class Functions>
void check_bupc(Functions f) {
  const upcr_pts_t array = upc_all_alloc(static_cast<size_t>(threads()), sizeof(T));
  const upcr_pts_t p = on(static_cast<uint64_t>((me() + 1) % threads()), array);
  f.set(p, 12);
  REQUIRE(f.read(p) == 12);
  REQUIRE(f.swap(p, 10) == 12);
  REQUIRE(f.cswap(p, 11, 1) == 10 && f.read(p) == 10);
  REQUIRE(f.cswap(p, 10, 6) == 10 && f.read(p) == 6);
  REQUIRE(f.add(p, static_cast<T>(-1)) == 6 && f.read(p) == 5);
  REQUIRE(f.bit_and(p, 6) == 5 && f.read(p) == 4);
  REQUIRE(f.bit_or(p, 3) == 4 && f.read(p) == 7);
  REQUIRE(f.bit_xor(p, 2) == 7 && f.read(p) == 5);
  REQUIRE(f.mswap(p, 6, 3) == 5 && f.read(p) == 3);
  REQUIRE(f.mswap(p, static_cast<T>(~T{0}), 5) == 3 && f.read(p) == 5);
  REQUIRE(f.bit_not(p) == 5 && f.read(p) == static_cast<T>(~T{5}));
  barrier();
  upc_all_free(array);
}

#define BUPC(name, order)                                                                             \
  [] {                                                                                                \
    struct F {                                                                                        \
      decltype(&bupc_atomic##name##_set_##order) set = bupc_atomic##name##_set_##order;               \
      decltype(&bupc_atomic##name##_read_##order) read = bupc_atomic##name##_read_##order;            \
      decltype(&bupc_atomic##name##_swap_##order) swap = bupc_atomic##name##_swap_##order;            \
      decltype(&bupc_atomic##name##_cswap_##order) cswap = bupc_atomic##name##_cswap_##order;         \
      decltype(&bupc_atomic##name##_mswap_##order) mswap = bupc_atomic##name##_mswap_##order;         \
      decltype(&bupc_atomic##name##_fetchadd_##order) add = bupc_atomic##name##_fetchadd_##order;     \
      decltype(&bupc_atomic##name##_fetchand_##order) bit_and = bupc_atomic##name##_fetchand_##order; \
      decltype(&bupc_atomic##name##_fetchor_##order) bit_or = bupc_atomic##name##_fetchor_##order;    \
      decltype(&bupc_atomic##name##_fetchxor_##order) bit_xor = bupc_atomic##name##_fetchxor_##order; \
      decltype(&bupc_atomic##name##_fetchnot_##order) bit_not = bupc_atomic##name##_fetchnot_##order; \
    };                                                                                                \
    return F{};                                                                                       \
  }()

UPC_TEST(atomic, berkeley_forms) {
  check_bupc<uint64_t>(BUPC(U64, strict));
  check_bupc<uint64_t>(BUPC(U64, relaxed));
  check_bupc<int64_t>(BUPC(I64, strict));
  check_bupc<int64_t>(BUPC(I64, relaxed));
  check_bupc<uint32_t>(BUPC(U32, strict));
  check_bupc<uint32_t>(BUPC(U32, relaxed));
  check_bupc<int32_t>(BUPC(I32, strict));
  check_bupc<int32_t>(BUPC(I32, relaxed));
  check_bupc<unsigned long>(BUPC(UL, strict));
  check_bupc<unsigned long>(BUPC(UL, relaxed));
  check_bupc<long>(BUPC(L, strict));
  check_bupc<long>(BUPC(L, relaxed));
  check_bupc<unsigned>(BUPC(UI, strict));
  check_bupc<unsigned>(BUPC(UI, relaxed));
  check_bupc<int>(BUPC(I, strict));
  check_bupc<int>(BUPC(I, relaxed));
}

// ---- Semaphores ----

constexpr int boolean_flag = 1;

// A semaphore of each thread, by thread.
std::vector<upcr_pts_t> semaphores(int flags) {
  const upcr_pts_t mine = bupc_sem_alloc(flags);
  std::vector<upcr_pts_t> all(static_cast<size_t>(threads()));
  upcr_allv_gather(&mine, all.data(), sizeof mine, -1);
  return all;
}

upcr_pts_t of(const std::vector<upcr_pts_t>& all, int thread) {
  return all[static_cast<size_t>((thread + threads()) % threads())];
}

UPC_TEST(semaphore, counts_what_is_posted) {
  for (int flags = 0; flags < 8; flags += 2) {
    const auto all = semaphores(flags);
    EXPECT_EQ(bupc_sem_try(of(all, me())), 0);
    barrier();
    bupc_sem_post(of(all, me() + 1));
    bupc_sem_postN(of(all, me() + 1), 5);
    bupc_sem_waitN(of(all, me()), 4);
    bupc_sem_wait(of(all, me()));
    while (bupc_sem_tryN(of(all, me()), 1) == 0) {
    }
    EXPECT_EQ(bupc_sem_tryN(of(all, me()), 1), 0);
    barrier();
    bupc_sem_free(of(all, me() + 1));
  }
}

UPC_TEST(semaphore, boolean_ones_do_not_count) {
  const auto all = semaphores(boolean_flag);
  for (int i = 0; i < 3; ++i) bupc_sem_post(of(all, me() + 1));
  barrier();
  bupc_sem_wait(of(all, me()));
  EXPECT_EQ(bupc_sem_try(of(all, me())), 0);
  barrier();
  bupc_sem_free(of(all, me()));
}

// Several producers and several consumers, some of which are not where the semaphore is.
UPC_TEST(semaphore, many_producers_and_consumers) {
  const auto all = semaphores(0);
  for (int i = 0; i < 50; ++i) {
    bupc_sem_post(of(all, i));
    bupc_sem_wait(of(all, i));
  }
  barrier();
  EXPECT_EQ(bupc_sem_try(of(all, me())), 0);
  barrier();
  bupc_sem_free(of(all, me()));
}

// The data is there when the semaphore has risen: a ring of signalling puts of changing sizes, zero included.
UPC_TEST(semaphore, signalling_puts_bring_their_data) {
  const auto all = semaphores(0);
  const auto boolean = semaphores(boolean_flag);
  constexpr size_t most = 5000;
  const upcr_pts_t inbox = upc_all_alloc(static_cast<size_t>(threads()), most);
  const auto next = static_cast<uint64_t>((me() + 1) % threads());
  std::vector<char> data(most);
  for (int round = 0; round < 60; ++round) {
    const size_t size = static_cast<size_t>(round) % 3 == 0 ? 0 : static_cast<size_t>(round * 83);
    std::memset(data.data(), round + me(), size);
    const upcr_pts_t target = round % 4 < 2 ? of(all, me() + 1) : of(boolean, me() + 1);
    const size_t n = round % 4 < 2 ? 3 : 1;
    if (round % 2 == 0) {
      bupc_memput_signal(on(next, inbox), data.data(), size, target, n);
      std::memset(data.data(), 0x7f, size);  // the source may be reused
    } else {
      bupc_waitsync(bupc_memput_signal_async(on(next, inbox), data.data(), size, target, n));
    }
    bupc_sem_waitN(round % 4 < 2 ? of(all, me()) : of(boolean, me()), n);
    const char expected = static_cast<char>(round + (me() + threads() - 1) % threads());
    const auto* mine = static_cast<const char*>(upcr_local(on(static_cast<uint64_t>(me()), inbox)));
    for (size_t i = 0; i < size; ++i) REQUIRE(mine[i] == expected);
    barrier();
  }
  bupc_sem_free(of(all, me()));
  bupc_sem_free(of(boolean, me()));
  upc_all_free(inbox);
}

}  // namespace
