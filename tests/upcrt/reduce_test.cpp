// Reductions and prefix reductions against a sequential model: all types, operations, block sizes and phases.
#include <limits>
#include <string>
#include <vector>

#include "upc/upc_types.h"
#include "upc_threads.hpp"

namespace {

using namespace upc_test;

constexpr int function_op = 0x0200;
constexpr int noncommutative_op = 0x0400;

uint64_t count() { return static_cast<uint64_t>(threads()); }

template <class T>
struct Functions;
#define FUNCTIONS(suffix, type)                                   \
  template <>                                                     \
  struct Functions<type> {                                        \
    static constexpr auto reduce = upc_all_reduce##suffix;        \
    static constexpr auto prefix = upc_all_prefix_reduce##suffix; \
  };
FUNCTIONS(C, signed char)
FUNCTIONS(UC, unsigned char)
FUNCTIONS(S, short)
FUNCTIONS(US, unsigned short)
FUNCTIONS(I, int)
FUNCTIONS(UI, unsigned)
FUNCTIONS(L, long)
FUNCTIONS(UL, unsigned long)
FUNCTIONS(F, float)
FUNCTIONS(D, double)
FUNCTIONS(LD, long double)
#undef FUNCTIONS

// Keeps the left operand unless it is 0: associative, not commutative.
template <class T>
T first_that_is_not_zero(T a, T b) {
  return a != T{} ? a : b;
}
// Keeps the right operand unless it is 0.
template <class T>
T last_that_is_not_zero(T a, T b) {
  return b != T{} ? b : a;
}
template <class T>
T larger(T a, T b) {
  return a > b ? a : b;
}

// Independent of the runtime's own: one operation per line, as the language computes it.
template <class T>
T model(int op, T (*function)(T, T), T a, T b) {
  if (op == function_op || op == noncommutative_op) return function(a, b);
  if (op == UPC_ADD) return static_cast<T>(a + b);
  if (op == UPC_MULT) return static_cast<T>(a * b);
  if (op == UPC_LOGAND) return static_cast<T>(a && b);
  if (op == UPC_LOGOR) return static_cast<T>(a || b);
  if (op == UPC_MIN) return b < a ? b : a;
  if (op == UPC_MAX) return a < b ? b : a;
  if constexpr (std::is_integral_v<T>) {
    if (op == UPC_AND) return static_cast<T>(a & b);
    if (op == UPC_OR) return static_cast<T>(a | b);
    if (op == UPC_XOR) return static_cast<T>(a ^ b);
  }
  REQUIRE(!"an operation of the model");
  return a;
}

// Small values, so that sums and products of any order are exact and nothing overflows.
template <class T>
T value_for(int op, uint64_t i, uint64_t seed) {
  const uint64_t mixed = (i + seed) * 2654435761u >> 7;
  if (op == UPC_MULT) return static_cast<T>(mixed % 64 == 0 ? 2 : 1);
  if (op == UPC_ADD) return static_cast<T>(mixed % 2);
  if (op == UPC_LOGAND) return static_cast<T>(mixed % 16 != 0);
  if (op == noncommutative_op) return static_cast<T>(mixed % 3 == 0 ? 0 : mixed % 100 + 1);
  return static_cast<T>(mixed % 120);
}

template <class T>
struct Case {
  int op;
  T (*function)(T, T);
};

// One reduction and one prefix reduction of `n` elements in blocks of `block`, from a start with thread and phase.
template <class T>
void check_case(const Case<T>& c, uint64_t n, uint64_t block, uint64_t shift, int flags) {
  const uint64_t rows = block == 0 ? n : (n + shift) / (block * count()) + 2;
  const uint64_t bytes = (block == 0 ? n + 1 : rows * block) * sizeof(T);
  const upcr_pts_t a = upc_all_alloc(count(), bytes), b = upc_all_alloc(count(), bytes);
  const upcr_pts_t out = upc_all_alloc(count(), sizeof(T));
  const upcr_pts_t src =
      block == 0 ? on(shift % count(), a) : upcr_add(a, static_cast<int64_t>(shift), block, sizeof(T));
  const upcr_pts_t dst =
      block == 0 ? on(shift % count(), b) : upcr_add(b, static_cast<int64_t>(shift), block, sizeof(T));
  const auto element = [&](upcr_pts_t p, uint64_t i) { return upcr_add(p, static_cast<int64_t>(i), block, sizeof(T)); };
  std::vector<T> values(n);
  for (uint64_t i = 0; i < n; ++i) {
    values[i] = value_for<T>(c.op, i, n + block);
    if (upcr_is_mine(element(src, i))) put(element(src, i), values[i]);
  }
  barrier();
  const upcr_pts_t target = on(n % count(), out);
  Functions<T>::reduce(target, src, c.op, n, block, c.function, flags);
  Functions<T>::prefix(dst, src, c.op, n, block, c.function, flags);
  barrier();
  T running = values[0];
  for (uint64_t i = 0; i < n; ++i) {
    if (i != 0) running = model(c.op, c.function, running, values[i]);
    REQUIRE(get<T>(element(dst, i)) == running);
  }
  REQUIRE(get<T>(target) == running);
  barrier();
  upc_all_free(a);
  upc_all_free(b);
  upc_all_free(out);
}

template <class T>
void check_type() {
  std::vector<Case<T>> cases = {{UPC_ADD, nullptr},
                                {UPC_MULT, nullptr},
                                {UPC_LOGAND, nullptr},
                                {UPC_LOGOR, nullptr},
                                {UPC_MIN, nullptr},
                                {UPC_MAX, nullptr},
                                {function_op, larger<T>},
                                {noncommutative_op, first_that_is_not_zero<T>},
                                {noncommutative_op, last_that_is_not_zero<T>}};
  if (std::is_integral_v<T>)
    for (const int op : {UPC_AND, UPC_OR, UPC_XOR}) cases.push_back({op, nullptr});
  int flags = 0;
  for (const Case<T>& c : cases) {
    flags = (flags + 11) % 64;
    check_case(c, 61, 3, 5, flags);
    check_case(c, 5, 1, 0, flags);
  }
}

UPC_TEST(reduce, integers_of_every_size) {
  check_type<signed char>();
  check_type<unsigned char>();
  check_type<short>();
  check_type<unsigned short>();
  check_type<int>();
  check_type<unsigned>();
  check_type<long>();
  check_type<unsigned long>();
}

UPC_TEST(reduce, floating_types) {
  check_type<float>();
  check_type<double>();
  check_type<long double>();
}

// Every pairing of count, block size and start, for a commutative and an order-dependent operation.
UPC_TEST(reduce, every_layout) {
  int flags = 0;
  for (const uint64_t block : {0, 1, 2, 3, 7, 64, 1000})
    for (const uint64_t n : {1, 2, 6, 50, 333})
      for (const uint64_t shift : {0, 1, 2, 20}) {
        flags = (flags + 1) % 64;
        check_case<int>({UPC_ADD, nullptr}, n, block, shift, flags);
        check_case<int>({noncommutative_op, last_that_is_not_zero<int>}, n, block, shift, flags);
      }
}

// The runtime combines some thousands of rows at a time.
UPC_TEST(reduce, many_rows) {
  check_case<short>({noncommutative_op, last_that_is_not_zero<short>}, 16384 * count(), 1, 0, 0);
  check_case<int>({UPC_MAX, nullptr}, 16385 * count(), 1, 1, UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
}

// Calls that follow each other without a barrier do not disturb each other, although a thread that has nothing to wait
// for is a call ahead of the one that combines: each call has other values.
UPC_TEST(reduce, many_in_a_row_without_synchronisation) {
  constexpr uint64_t calls = 3000;
  const upcr_pts_t src = upc_all_alloc(count(), calls * sizeof(long));
  const upcr_pts_t out = upc_all_alloc(count(), calls * sizeof(long));
  for (uint64_t i = 0; i < calls; ++i)
    put(on(static_cast<uint64_t>(me()), src, i * 8), static_cast<long>(i) * 1000 + me());
  barrier();
  // The root changes, so that nobody stays the slowest.
  for (uint64_t i = 0; i < calls; ++i)
    upc_all_reduceL(on(i / 100 % count(), out, i * 8), upcr_make(src.offset + i * 8, 0, 0), UPC_ADD, count(), 1,
                    nullptr, UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
  barrier();
  const long n = threads();
  for (uint64_t i = 0; i < calls; ++i)
    REQUIRE(get<long>(on(i / 100 % count(), out, i * 8)) == static_cast<long>(i) * 1000 * n + n * (n - 1) / 2);
  barrier();
  upc_all_free(src);
  upc_all_free(out);
}

// ---- Values instead of arrays (bupc_allv_*) ----

UPC_TEST(allv, reductions) {
  const long n = threads();
  long v = me() + 1;
  upcr_allv_reduce(&v, sizeof v, UPC_LONG, UPC_ADD, -1);
  EXPECT_EQ(v, n * (n + 1) / 2);
  double d = me() + 0.5;
  upcr_allv_reduce(&d, sizeof d, UPC_DOUBLE, UPC_MAX, threads() - 1);
  if (me() == threads() - 1) {
    EXPECT_EQ(d, static_cast<double>(n) - 0.5);
  }
  short s = static_cast<short>(me() + 1);
  upcr_allv_prefix_reduce(&s, sizeof s, UPC_SHORT, UPC_ADD);
  EXPECT_EQ(s, (me() + 1) * (me() + 2) / 2);
}

UPC_TEST(allv, movement_of_values_of_any_size) {
  struct Big {
    int words[50];
  };
  for (int round = 0; round < 20; ++round) {
    Big big{};
    big.words[49] = me() * 1000 + round;
    const int root = round % threads();
    Big all = big;
    upcr_allv_broadcast(&all, sizeof all, root);
    REQUIRE(all.words[49] == root * 1000 + round);
    int small = me() + round;
    upcr_allv_permute(&small, sizeof small, (me() + 1) % threads());
    REQUIRE(small == (me() + threads() - 1) % threads() + round);
    std::vector<Big> gathered(count());
    upcr_allv_gather(&big, gathered.data(), sizeof big, round % 2 == 0 ? -1 : root);
    if (round % 2 == 0 || me() == root)
      for (int t = 0; t < threads(); ++t) REQUIRE(gathered[static_cast<size_t>(t)].words[49] == t * 1000 + round);
    std::vector<int> source(count());
    for (int t = 0; t < threads(); ++t) source[static_cast<size_t>(t)] = root * 100 + t;
    int got = 0;
    upcr_allv_scatter(&got, source.data(), sizeof got, root);
    REQUIRE(got == root * 100 + me());
  }
}

UPC_TEST(allv, type_codes) {
  EXPECT_EQ(upcr_type_of_size(1, 1, 0), UPC_CHAR);
  EXPECT_EQ(upcr_type_of_size(2, 0, 0), UPC_USHORT);
  EXPECT_EQ(upcr_type_of_size(4, 1, 0), UPC_INT);
  EXPECT_EQ(upcr_type_of_size(8, 0, 0), UPC_ULONG);
  EXPECT_EQ(upcr_type_of_size(4, 1, 1), UPC_FLOAT);
  EXPECT_EQ(upcr_type_of_size(16, 1, 1), UPC_LDOUBLE);
}

}  // namespace
