// Atomics by the processor against a sequential model, for every type and operation; signals; and that they are atomic.
#include "conduit/cpu_atomic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

namespace {

using namespace weft::conduit;

template <class T>
struct Names;
template <>
struct Names<int32_t> {
  static constexpr auto type = AtomicType::i32;
};
template <>
struct Names<uint32_t> {
  static constexpr auto type = AtomicType::u32;
};
template <>
struct Names<int64_t> {
  static constexpr auto type = AtomicType::i64;
};
template <>
struct Names<uint64_t> {
  static constexpr auto type = AtomicType::u64;
};
template <>
struct Names<float> {
  static constexpr auto type = AtomicType::f32;
};
template <>
struct Names<double> {
  static constexpr auto type = AtomicType::f64;
};

// The table of weft/atomic.h in 128-bit or floating arithmetic, cut to the type.
template <class T>
T model(AtomicOp op, T x, T a, T b) {
  switch (op) {
    case AtomicOp::get:
      return x;
    case AtomicOp::set:
    case AtomicOp::swap:
      return a;
    case AtomicOp::cswap:
      return x == b ? a : x;
    case AtomicOp::min:
      return std::min(x, a);
    case AtomicOp::max:
      return std::max(x, a);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    __extension__ using Wide = __int128;
    const Wide wx = x, wa = a;
    switch (op) {
      case AtomicOp::add:
        return static_cast<T>(wx + wa);
      case AtomicOp::sub:
        return static_cast<T>(wx - wa);
      case AtomicOp::inc:
        return static_cast<T>(wx + 1);
      case AtomicOp::dec:
        return static_cast<T>(wx - 1);
      case AtomicOp::bit_and:
        return static_cast<T>(x & a);
      case AtomicOp::bit_or:
        return static_cast<T>(x | a);
      default:
        return static_cast<T>(x ^ a);
    }
  } else {
    switch (op) {
      case AtomicOp::add:
        return x + a;
      case AtomicOp::sub:
        return x - a;
      case AtomicOp::inc:
        return x + 1;
      default:
        return x - 1;
    }
  }
}

template <class T>
T random_value(std::mt19937_64& random) {
  const uint64_t bits = random();
  if constexpr (std::is_floating_point_v<T>) {
    if (bits % 16 == 0) return std::numeric_limits<T>::infinity();
    if (bits % 16 == 1) return -T{0};
    return static_cast<T>(static_cast<int64_t>(bits % 2001) - 1000) / T{8};
  } else {
    if (bits % 8 == 0) return std::numeric_limits<T>::max();
    if (bits % 8 == 1) return std::numeric_limits<T>::min();
    return bits % 2 == 0 ? static_cast<T>(bits % 4) : static_cast<T>(bits >> 8);
  }
}

template <class T>
class CpuAtomic : public testing::Test {};
using Types = testing::Types<int32_t, uint32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(CpuAtomic, Types);

TYPED_TEST(CpuAtomic, FollowsTheSequentialModel) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  const AtomicOp last = std::is_integral_v<T> ? AtomicOp::bit_xor : AtomicOp::max;
  EXPECT_EQ(atomic_size(Names<T>::type), sizeof(T));
  for (int i = 0; i < 20000; ++i) {
    alignas(8) T words[2] = {random_value<T>(random), random_value<T>(random)};
    const T neighbour = words[1], x = words[0];
    const auto op = static_cast<AtomicOp>(random() % (static_cast<unsigned>(last) + 1));
    const T a = random_value<T>(random);
    const T b = random() % 2 == 0 ? x : random_value<T>(random);
    T before = T{99};
    AtomicRequest request{.type = Names<T>::type, .op = op, .result = random() % 3 == 0 ? nullptr : &before};
    std::memcpy(&request.operand, &a, sizeof a);
    std::memcpy(&request.compare, &b, sizeof b);
    run_atomic(reinterpret_cast<std::byte*>(words), request);
    const T expected = model(op, x, a, b);
    ASSERT_TRUE(std::memcmp(&words[0], &expected, sizeof(T)) == 0 || words[0] == expected ||
                (std::isnan(static_cast<double>(expected)) && std::isnan(static_cast<double>(words[0]))))
        << "op " << static_cast<int>(op) << ": " << x << ", " << a << ", " << b << " gave " << words[0];
    ASSERT_EQ(std::memcmp(&words[1], &neighbour, sizeof(T)), 0);
    if (request.result) {
      ASSERT_EQ(std::memcmp(&before, &x, sizeof(T)), 0);
    } else {
      ASSERT_EQ(before, T{99});
    }
  }
}

TYPED_TEST(CpuAtomic, ConcurrentAdditionsAndMaximaLoseNothing) {
  using T = TypeParam;
  alignas(8) T sum{}, most{};
  auto work = [&](int salt) {
    for (int i = 1; i <= 2000; ++i) {
      T one{1}, mine = static_cast<T>(i * 2 + salt);
      AtomicRequest add{.type = Names<T>::type, .op = AtomicOp::add};
      std::memcpy(&add.operand, &one, sizeof one);
      run_atomic(reinterpret_cast<std::byte*>(&sum), add);
      AtomicRequest max{.type = Names<T>::type, .op = AtomicOp::max};
      std::memcpy(&max.operand, &mine, sizeof mine);
      run_atomic(reinterpret_cast<std::byte*>(&most), max);
    }
  };
  std::thread other(work, 0);
  work(1);
  other.join();
  EXPECT_EQ(sum, T{4000});
  EXPECT_EQ(most, T{4001});
}

TEST(ApplySignal, SetsAndAdds) {
  alignas(8) std::byte word[8] = {};
  auto value = [&] { return *reinterpret_cast<uint64_t*>(word); };
  apply_signal(word, 5, SignalOp::set);
  EXPECT_EQ(value(), 5u);
  apply_signal(word, ~uint64_t{0}, SignalOp::add);
  EXPECT_EQ(value(), 4u);
}

}  // namespace
