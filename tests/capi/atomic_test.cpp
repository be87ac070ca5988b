// Remote atomics (weft/atomic.h): every type and operation against a sequential model, and from all ranks at once.
#include "weft/atomic.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/rma.h"
#include "weft/segment.h"

namespace {

using weft_test::next_rank;
using weft_test::SharedBlock;

template <class T>
constexpr weft_type_t type_of() {
  if constexpr (std::is_same_v<T, int32_t>) return WEFT_I32;
  if constexpr (std::is_same_v<T, uint32_t>) return WEFT_U32;
  if constexpr (std::is_same_v<T, int64_t>) return WEFT_I64;
  if constexpr (std::is_same_v<T, uint64_t>) return WEFT_U64;
  if constexpr (std::is_same_v<T, float>) return WEFT_F32;
  return WEFT_F64;
}

// The table of weft/atomic.h, written down again.
template <class T>
T after(weft_atomic_op_t op, T x, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const U ux = static_cast<U>(x), ua = static_cast<U>(a);
    if (op == WEFT_ATOMIC_ADD) return static_cast<T>(static_cast<U>(ux + ua));
    if (op == WEFT_ATOMIC_SUB) return static_cast<T>(static_cast<U>(ux - ua));
    if (op == WEFT_ATOMIC_INC) return static_cast<T>(static_cast<U>(ux + 1));
    if (op == WEFT_ATOMIC_DEC) return static_cast<T>(static_cast<U>(ux - 1));
    if (op == WEFT_ATOMIC_AND) return static_cast<T>(ux & ua);
    if (op == WEFT_ATOMIC_OR) return static_cast<T>(ux | ua);
    if (op == WEFT_ATOMIC_XOR) return static_cast<T>(ux ^ ua);
  } else {
    if (op == WEFT_ATOMIC_ADD) return x + a;
    if (op == WEFT_ATOMIC_SUB) return x - a;
    if (op == WEFT_ATOMIC_INC) return x + T{1};
    if (op == WEFT_ATOMIC_DEC) return x - T{1};
  }
  switch (op) {
    case WEFT_ATOMIC_SET:
    case WEFT_ATOMIC_SWAP:
      return a;
    case WEFT_ATOMIC_CSWAP:
      return x == b ? a : x;
    case WEFT_ATOMIC_MIN:
      return std::min(x, a);
    case WEFT_ATOMIC_MAX:
      return std::max(x, a);
    default:
      return x;
  }
}

template <class T>
std::vector<T> interesting_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T{0}, T{1}, T{2}, T{77}, Limits::max(), Limits::lowest()};
  if constexpr (std::is_signed_v<T>) values.insert(values.end(), {T{-1}, T{-77}});
  if constexpr (std::is_floating_point_v<T>) values.insert(values.end(), {T{0.5}, T{-1280.25}, Limits::infinity()});
  return values;
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

// One rank after the other, so that each operation's effect is known.
template <class T>
void follows_the_model() {
  SharedBlock block(64);
  const bool integer = std::is_integral_v<T>;
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(type_of<T>(), integer ? WEFT_ATOMIC_OPS_ALL : WEFT_ATOMIC_OPS_FLOAT, &domain),
            WEFT_OK);
  EXPECT_EQ(weft_atomic_is_direct(domain, next_rank()), weft_pointer(next_rank(), 0) != nullptr ? 1 : 0);
  const size_t at = block.offset() + sizeof(T);  // aligned to the type only
  const weft_rank_t peer = next_rank();          // each word has one user
  int form = 0;
  for (int number = WEFT_ATOMIC_GET; number <= (integer ? WEFT_ATOMIC_XOR : WEFT_ATOMIC_MAX); ++number) {
    const auto op = static_cast<weft_atomic_op_t>(number);
    for (T x : interesting_values<T>()) {
      for (T a : interesting_values<T>()) {
        const T b = number % 2 == 0 ? x : a;  // CSWAP has an even and an odd partner: see below
        for (T compare : {b, x}) {
          weft_put(peer, at, &x, sizeof x);
          T fetched = T{55};
          weft_handle_t handle = WEFT_HANDLE_DONE;
          const bool fetch = op == WEFT_ATOMIC_GET || form % 5 != 0;
          void* result = fetch ? &fetched : nullptr;
          switch (++form % 3) {
            case 0:
              ASSERT_EQ(weft_atomic(domain, result, peer, at, op, &a, &compare), WEFT_OK);
              break;
            case 1:
              ASSERT_EQ(weft_atomic_nb(domain, result, peer, at, op, &a, &compare, 0, &handle), WEFT_OK);
              break;
            case 2:
              ASSERT_EQ(weft_atomic_nbi(domain, result, peer, at, op, &a, &compare, 0), WEFT_OK);
              break;
          }
          weft_handle_wait(handle);
          weft_nbi_wait();
          T now{};
          weft_get(&now, peer, at, sizeof now);
          ASSERT_TRUE(same(now, after(op, x, a, compare))) << "op " << number << " on " << x << " with " << a;
          ASSERT_TRUE(!fetch || same(fetched, x)) << "op " << number << " fetched " << fetched;
          ASSERT_TRUE(fetch || same(fetched, T{55}));
        }
      }
    }
  }
  // The neighbours of the word are untouched.
  weft_barrier();
  EXPECT_EQ(std::memcmp(block.mine(), "\0\0\0\0\0\0\0\0", sizeof(T)), 0);
  EXPECT_EQ(std::memcmp(block.mine() + 2 * sizeof(T), "\0\0\0\0\0\0\0\0", sizeof(T)), 0);
  weft_atomic_domain_destroy(domain);
}

RANK_TEST(Atomic, Int32FollowsTheModel) { follows_the_model<int32_t>(); }
RANK_TEST(Atomic, Uint32FollowsTheModel) { follows_the_model<uint32_t>(); }
RANK_TEST(Atomic, Int64FollowsTheModel) { follows_the_model<int64_t>(); }
RANK_TEST(Atomic, Uint64FollowsTheModel) { follows_the_model<uint64_t>(); }
RANK_TEST(Atomic, FloatFollowsTheModel) { follows_the_model<float>(); }
RANK_TEST(Atomic, DoubleFollowsTheModel) { follows_the_model<double>(); }

// All ranks add to one word of every rank; every fetched value comes once.
template <class T>
void additions_add_up() {
  constexpr unsigned rounds = 300;
  SharedBlock block(64);
  SharedBlock tickets(weft_test::most_ranks * rounds);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(type_of<T>(), WEFT_ATOMIC_BIT(WEFT_ATOMIC_ADD) | WEFT_ATOMIC_BIT(WEFT_ATOMIC_INC),
                                      &domain),
            WEFT_OK);
  const T one{1};
  for (unsigned i = 0; i < rounds; ++i) {
    for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
      T before{};
      weft_atomic(domain, &before, peer, block.offset(), i % 2 == 0 ? WEFT_ATOMIC_ADD : WEFT_ATOMIC_INC, &one, nullptr);
      if (peer == 0) weft_put_value(0, tickets.offset() + static_cast<size_t>(before), 1, 1);
    }
  }
  weft_barrier();
  T total{};
  std::memcpy(&total, block.mine(), sizeof total);
  EXPECT_EQ(total, static_cast<T>(rounds * weft_size()));
  if (weft_rank() == 0) {
    for (size_t i = 0; i < rounds * weft_size(); ++i) ASSERT_EQ(tickets.mine()[i], 1) << "ticket " << i;
  }
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

RANK_TEST(Atomic, ConcurrentAdditionsAddUpInt32) { additions_add_up<int32_t>(); }
RANK_TEST(Atomic, ConcurrentAdditionsAddUpUint64) { additions_add_up<uint64_t>(); }
RANK_TEST(Atomic, ConcurrentAdditionsAddUpFloat) { additions_add_up<float>(); }
RANK_TEST(Atomic, ConcurrentAdditionsAddUpDouble) { additions_add_up<double>(); }

RANK_TEST(Atomic, NonFetchingIncrementsInFlightAllCount) {
  constexpr unsigned count = 2000;
  SharedBlock block(64);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  for (unsigned i = 0; i < count; ++i)
    while (weft_atomic_nbi(domain, nullptr, i % weft_size(), block.offset(), WEFT_ATOMIC_INC, nullptr, nullptr,
                           i % 2 == 0 ? WEFT_IMMEDIATE : 0) == WEFT_RETRY)
      weft_test::progress();
  weft_nbi_wait();
  weft_barrier();
  uint64_t expected = 0;
  for (unsigned i = 0; i < count; ++i) expected += i % weft_size() == weft_rank() ? weft_size() : 0;
  EXPECT_EQ(block.words()[0], expected);
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

// ---- Lists ----

constexpr weft_atomic_op_t integer_list_ops[] = {WEFT_ATOMIC_SET, WEFT_ATOMIC_ADD, WEFT_ATOMIC_SUB, WEFT_ATOMIC_INC,
                                                 WEFT_ATOMIC_DEC, WEFT_ATOMIC_MIN, WEFT_ATOMIC_MAX, WEFT_ATOMIC_AND,
                                                 WEFT_ATOMIC_OR,  WEFT_ATOMIC_XOR};
constexpr size_t floating_list_ops = 7;

// Each rank updates the words of the next one; all three forms, lists of all lengths, without waiting in between.
template <class T>
void lists_follow_the_model(uint32_t seed) {
  constexpr size_t words = 50, most = 5000;
  SharedBlock block(64 + words * sizeof(T));
  weft_atomic_domain_t* domain = nullptr;
  const bool integer = std::is_integral_v<T>;
  ASSERT_EQ(weft_atomic_domain_create(type_of<T>(), integer ? WEFT_ATOMIC_OPS_ALL : WEFT_ATOMIC_OPS_FLOAT, &domain),
            WEFT_OK);
  std::mt19937 random(seed + weft_rank());
  std::vector<T> model(words), operands;
  std::vector<size_t> offsets;
  for (int round = 0; round < 40; ++round) {
    const auto op = integer_list_ops[random() % (integer ? std::size(integer_list_ops) : floating_list_ops)];
    const size_t count = round % 4 == 0 ? random() % most : random() % 4;
    operands.resize(count);
    offsets.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const size_t word = random() % words;
      operands[i] = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / T{3};
      offsets[i] = block.offset() + 32 + word * sizeof(T);
      model[word] = after(op, model[word], operands[i], T{});
    }
    const void* list = op == WEFT_ATOMIC_INC || op == WEFT_ATOMIC_DEC ? nullptr : operands.data();
    const unsigned flags = round % 2 == 0 ? WEFT_IMMEDIATE : 0;
    weft_handle_t handle = WEFT_HANDLE_DONE;
    for (int status = WEFT_RETRY; status == WEFT_RETRY; weft_test::progress()) {
      switch (round % 3) {
        case 0:
          status = weft_atomic_indexed(domain, next_rank(), op, count, offsets.data(), list);
          break;
        case 1:
          status = weft_atomic_indexed_nb(domain, next_rank(), op, count, offsets.data(), list, flags, &handle);
          break;
        default:
          status = weft_atomic_indexed_nbi(domain, next_rank(), op, count, offsets.data(), list, flags);
      }
      ASSERT_TRUE(status == WEFT_OK || (status == WEFT_RETRY && flags != 0));
    }
    std::fill(operands.begin(), operands.end(), T{99});  // both lists have been read
    std::fill(offsets.begin(), offsets.end(), 1);
    weft_handle_wait(handle);
  }
  weft_nbi_wait();
  std::vector<T> now(words);
  weft_get(now.data(), next_rank(), block.offset() + 32, words * sizeof(T));
  for (size_t i = 0; i < words; ++i) ASSERT_TRUE(same(now[i], model[i])) << "word " << i << ", seed " << seed;
  weft_barrier();
  for (size_t i = 0; i < 32; ++i) ASSERT_EQ(block.mine()[i], 0) << "in front of the words";
  for (size_t i = 32 + words * sizeof(T); i < 64 + words * sizeof(T); ++i) ASSERT_EQ(block.mine()[i], 0) << "behind";
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

RANK_TEST(Atomic, ListsOfInt32FollowTheModel) { lists_follow_the_model<int32_t>(1); }
RANK_TEST(Atomic, ListsOfUint32FollowTheModel) { lists_follow_the_model<uint32_t>(2); }
RANK_TEST(Atomic, ListsOfInt64FollowTheModel) { lists_follow_the_model<int64_t>(3); }
RANK_TEST(Atomic, ListsOfUint64FollowTheModel) { lists_follow_the_model<uint64_t>(4); }
RANK_TEST(Atomic, ListsOfFloatFollowTheModel) { lists_follow_the_model<float>(5); }
RANK_TEST(Atomic, ListsOfDoubleFollowTheModel) { lists_follow_the_model<double>(6); }

RANK_TEST(Atomic, ListsOfAllRanksAddUp) {
  constexpr size_t words = 8, count = 4000;
  SharedBlock block(words * 8);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  std::vector<size_t> offsets(count);
  for (size_t i = 0; i < count; ++i) offsets[i] = block.offset() + i % words * 8;
  const uint64_t one = 1;
  for (weft_rank_t peer = 0; peer < weft_size(); ++peer) {
    weft_atomic_indexed_nbi(domain, peer, WEFT_ATOMIC_INC, count, offsets.data(), nullptr, 0);
    for (size_t i = 0; i < 16; ++i) weft_atomic(domain, nullptr, peer, offsets[i], WEFT_ATOMIC_ADD, &one, nullptr);
  }
  weft_nbi_wait();
  weft_barrier();
  for (size_t i = 0; i < words; ++i) EXPECT_EQ(block.words()[i], weft_size() * (count / words + 16 / words));
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

// A message counts locations that lie near each other in another way: on both sides of where that ends, in any order,
// and lists of which some parts are near and others are not.
template <class T>
void lists_reach(uint32_t seed) {
  constexpr size_t words = 140000, near = 65536;
  SharedBlock block(words * sizeof(T));
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(type_of<T>(), WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  std::mt19937 random(seed + weft_rank());
  std::vector<std::vector<size_t>> lists = {{5, 5 + near - 1}, {6, 6 + near}, {near, 0}, {near + 9, 7}, {3, near, 2}};
  for (const size_t span : {size_t{100}, near - 1, near, near + 100, words - 1}) {
    std::vector<size_t>& list = lists.emplace_back();
    for (int i = 0; i < 6000; ++i) list.push_back((i % 500 == 499 ? words - 1 : near / 2 + random() % span) % words);
  }
  // One that is too far away, at any place: it may be the one that would have been a message's last.
  for (size_t place = 500; place < 6000; place += place / 8) {
    std::vector<size_t>& list = lists.emplace_back();
    for (size_t i = 0; i < 6000; ++i) list.push_back(i == place ? 0 : near / 2 + random() % near);
  }
  std::vector<T> model(words);
  for (const std::vector<size_t>& list : lists) {
    std::vector<size_t> offsets;
    std::vector<T> operands;
    for (const size_t word : list) {
      offsets.push_back(block.offset() + word * sizeof(T));
      operands.push_back(static_cast<T>(random()));
      model[word] = static_cast<T>(model[word] + operands.back());
    }
    ASSERT_EQ(weft_atomic_indexed(domain, next_rank(), WEFT_ATOMIC_ADD, list.size(), offsets.data(), operands.data()),
              WEFT_OK);
  }
  std::vector<T> now(words);
  weft_get(now.data(), next_rank(), block.offset(), words * sizeof(T));
  for (size_t i = 0; i < words; ++i) ASSERT_EQ(now[i], model[i]) << "word " << i;
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

RANK_TEST(Atomic, ListsOfUint32ReachNearAndFar) { lists_reach<uint32_t>(7); }
RANK_TEST(Atomic, ListsOfUint64ReachNearAndFar) { lists_reach<uint64_t>(8); }

// In a large segment they are farther apart than a message counts.
RANK_TEST(Atomic, AListMayGoFromTheBeginningToTheEndOfTheSegment) {
  size_t offset = 0;
  const size_t size = weft_segment_size() / 4 * 3;
  ASSERT_EQ(weft_alloc_symmetric(size, 0, &offset), WEFT_OK);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U32, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  const size_t last = (offset + size - 4) / 4 * 4;
  const size_t offsets[] = {last, offset, last, last, offset};
  const uint32_t operands[] = {10, 1, 20, 30, 2}, zero = 0;
  weft_put(next_rank(), offset, &zero, 4);
  weft_put(next_rank(), last, &zero, 4);
  weft_atomic_indexed(domain, next_rank(), WEFT_ATOMIC_ADD, std::size(offsets), offsets, operands);
  EXPECT_EQ(weft_get_value(next_rank(), offset, 4), 3u);
  EXPECT_EQ(weft_get_value(next_rank(), last, 4), 60u);
  weft_barrier();
  weft_atomic_domain_destroy(domain);
  weft_free_symmetric(offset);
}

RANK_TEST(Atomic, CompareAndSwapMakesALock) {
  SharedBlock block(128);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  for (int i = 0; i < 60; ++i) {
    while (weft_atomic_compare_swap64(domain, 0, block.offset(), 0, weft_rank() + 1) != 0) weft_test::progress();
    // A plain read, change and write of a counter that the lock guards.
    weft_put_value(0, block.offset() + 64, weft_get_value(0, block.offset() + 64, 8) + 1, 8);
    EXPECT_EQ(weft_atomic_compare_swap64(domain, 0, block.offset(), weft_rank() + 1, 0), weft_rank() + 1);
  }
  weft_barrier();
  EXPECT_EQ(weft_get_value(0, block.offset() + 64, 8), 60u * weft_size());
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

RANK_TEST(Atomic, FetchAddAgreesWithTheGeneralForm) {
  SharedBlock block(64);
  weft_atomic_domain_t* domain = nullptr;
  ASSERT_EQ(weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_OK);
  EXPECT_EQ(weft_atomic_fetch_add64(domain, next_rank(), block.offset(), 5), 0u);
  EXPECT_EQ(weft_atomic_fetch_add64(domain, next_rank(), block.offset(), 7), 5u);
  uint64_t value = 0;
  weft_atomic(domain, &value, next_rank(), block.offset(), WEFT_ATOMIC_GET, nullptr, nullptr);
  EXPECT_EQ(value, 12u);
  weft_barrier();
  weft_atomic_domain_destroy(domain);
}

RANK_TEST(Atomic, ADomainRefusesOperationsThatItsTypeLacks) {
  weft_atomic_domain_t* domain = nullptr;
  EXPECT_EQ(weft_atomic_domain_create(WEFT_F64, WEFT_ATOMIC_BIT(WEFT_ATOMIC_XOR), &domain), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_atomic_domain_create(WEFT_F32, WEFT_ATOMIC_OPS_ALL, &domain), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_atomic_domain_create(WEFT_U64, 1u << 13, &domain), WEFT_ERR_INVALID);
  EXPECT_EQ(weft_atomic_domain_create(WEFT_U64, 0, &domain), WEFT_ERR_INVALID);
  EXPECT_EQ(domain, nullptr);
}

}  // namespace
