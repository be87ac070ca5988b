// Atomic operations by the processor on memory that is mapped here, for conduits and for the reference implementation.
#pragma once

#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "conduit/conduit.hpp"

namespace weft::conduit {

template <class T>
T atomic_value(AtomicOp op, T before, T operand, T compare) {
  switch (op) {
    case AtomicOp::get:
      return before;
    case AtomicOp::set:
    case AtomicOp::swap:
      return operand;
    case AtomicOp::cswap:
      return before == compare ? operand : before;
    case AtomicOp::min:
      return operand < before ? operand : before;
    case AtomicOp::max:
      return before < operand ? operand : before;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    // Unsigned arithmetic: overflow wraps.
    switch (op) {
      case AtomicOp::add:
        return before + operand;
      case AtomicOp::sub:
        return before - operand;
      case AtomicOp::inc:
        return before + T{1};
      case AtomicOp::dec:
        return before - T{1};
      case AtomicOp::bit_and:
        return before & operand;
      case AtomicOp::bit_or:
        return before | operand;
      case AtomicOp::bit_xor:
        return before ^ operand;
      default:
        return before;
    }
  } else {
    switch (op) {
      case AtomicOp::add:
        return before + operand;
      case AtomicOp::sub:
        return before - operand;
      case AtomicOp::inc:
        return before + T{1};
      case AtomicOp::dec:
        return before - T{1};
      default:
        return before;
    }
  }
}

/// Applies the operation to *location as type T (Bits: the unsigned integer of its size) and returns the value before.
template <class T, class Bits>
T apply_atomic(std::byte* location, AtomicOp op, T operand, T compare) {
  std::atomic_ref<Bits> word(*reinterpret_cast<Bits*>(location));
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto a = static_cast<Unsigned>(operand);
    switch (op) {
      case AtomicOp::get:
        return static_cast<T>(word.load());
      case AtomicOp::set:
      case AtomicOp::swap:
        return static_cast<T>(word.exchange(a));
      case AtomicOp::add:
        return static_cast<T>(word.fetch_add(a));
      case AtomicOp::sub:
        return static_cast<T>(word.fetch_sub(a));
      case AtomicOp::inc:
        return static_cast<T>(word.fetch_add(1));
      case AtomicOp::dec:
        return static_cast<T>(word.fetch_sub(1));
      case AtomicOp::bit_and:
        return static_cast<T>(word.fetch_and(a));
      case AtomicOp::bit_or:
        return static_cast<T>(word.fetch_or(a));
      case AtomicOp::bit_xor:
        return static_cast<T>(word.fetch_xor(a));
      default:
        break;  // cswap, min, max: below
    }
  }
  Bits seen = word.load();
  for (;;) {
    T before = std::bit_cast<T>(seen);
    Bits wanted = std::bit_cast<Bits>(atomic_value(op, before, operand, compare));
    if (word.compare_exchange_weak(seen, wanted)) return before;
  }
}

template <class T, class Bits>
void run_atomic(std::byte* location, const AtomicRequest& request) {
  T operand, compare;
  std::memcpy(&operand, &request.operand, sizeof(T));
  std::memcpy(&compare, &request.compare, sizeof(T));
  T before = apply_atomic<T, Bits>(location, request.op, operand, compare);
  if (request.result) std::memcpy(request.result, &before, sizeof(T));
}

inline void run_atomic(std::byte* location, const AtomicRequest& request) {
  switch (request.type) {
    case AtomicType::i32:
      return run_atomic<int32_t, uint32_t>(location, request);
    case AtomicType::u32:
      return run_atomic<uint32_t, uint32_t>(location, request);
    case AtomicType::i64:
      return run_atomic<int64_t, uint64_t>(location, request);
    case AtomicType::u64:
      return run_atomic<uint64_t, uint64_t>(location, request);
    case AtomicType::f32:
      return run_atomic<float, uint32_t>(location, request);
    case AtomicType::f64:
      return run_atomic<double, uint64_t>(location, request);
  }
}

inline size_t atomic_size(AtomicType type) {
  return type == AtomicType::i32 || type == AtomicType::u32 || type == AtomicType::f32 ? 4 : 8;
}

/// Applies a signal to the word, after everything this thread wrote before.
inline void apply_signal(std::byte* word, uint64_t value, SignalOp op) {
  std::atomic_ref<uint64_t> signal(*reinterpret_cast<uint64_t*>(word));
  // release: the data written before is visible to whoever sees the signal.
  if (op == SignalOp::set)
    signal.store(value, std::memory_order_release);
  else
    signal.fetch_add(value, std::memory_order_release);
}

}  // namespace weft::conduit
