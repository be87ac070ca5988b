// Reductions and prefix reductions (<upc_collective.h>).
//
// Commutative: each thread reduces its own share where it lies and sends the result to the destination's thread.
// Otherwise the array is cut into one piece per thread, in array order. Each thread reads its piece (one copy from each
// thread, because a piece's part on a thread is contiguous there), works on it in order, and pieces are combined in
// order. Where every block is a piece of its own, the thread that has the block works on it and nothing is moved.
#include <algorithm>
#include <cstring>
#include <vector>

#include "upcrt/collective.hpp"
#include "upcrt/reduce_ops.hpp"
#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// Piece `number` of the cut is this thread's.
struct Piece {
  uint64_t number;
  uint64_t begin, end;
};

Piece piece_of(const SharedArray& array, weft_rank_t me) {
  const uint64_t threads = array.threads;
  if (array.block != 0 && array.blocks() <= threads) {
    const uint64_t start = upcr_thread(array.first);
    const uint64_t number = me >= start ? me - start : me + threads - start;
    const uint64_t phase = upcr_phase(array.first);
    const auto edge = [&](uint64_t k) { return std::min(array.count, std::max(k * array.block, phase) - phase); };
    return {number, edge(number), edge(number + 1)};
  }
  const uint64_t whole = array.count / threads;
  const uint64_t rest = array.count % threads;
  const auto edge = [&](uint64_t k) { return k * whole + std::min<uint64_t>(k, rest); };
  return {me, edge(me), edge(me + uint64_t{1})};
}

// Pieces are empty only at the end of the list.
uint64_t pieces_in_use(const SharedArray& array) {
  if (array.block != 0 && array.blocks() <= array.threads) return array.blocks();
  return std::min(array.count, array.threads);
}

template <class T>
T fold(const ReduceOp<T>& op, const T* values, uint64_t count) {
  T result = values[0];
  for (uint64_t i = 1; i < count; ++i) result = op(result, values[i]);
  return result;
}

// The values that gather_partials() left for pieces [0, count), in slots of 16 bytes.
template <class T>
std::vector<T> read_partials(uint64_t bank, weft_rank_t root, uint64_t count) {
  std::vector<char> slots(count * 16);
  (void)weft_get(slots.data(), root, bank, slots.size());
  std::vector<T> values(count);
  for (uint64_t i = 0; i < count; ++i) std::memcpy(&values[i], slots.data() + i * 16, sizeof(T));
  return values;
}

// This thread's result and its place in the order; false if it has no elements.
template <class T>
bool reduce_own(State& state, const ReduceOp<T>& op, const SharedArray& array, T& result, uint64_t& place) {
  if (op.commutative()) {
    const uint64_t share = array.share(state.me);
    place = state.me;
    if (share == 0) return false;
    result = fold(op, reinterpret_cast<const T*>(state.view.self + array.offset(state.me, 0)), share);
    return true;
  }
  const Piece piece = piece_of(array, state.me);
  place = piece.number;
  if (piece.begin == piece.end) return false;
  std::vector<T> values(piece.end - piece.begin);
  array.read(piece.begin, piece.end, values.data(), state.me);
  result = fold(op, values.data(), values.size());
  return true;
}

// Which slots hold a value.
template <class T>
bool slot_used(const ReduceOp<T>& op, const SharedArray& array, uint64_t slot) {
  return op.commutative() ? array.share(slot) != 0 : slot < pieces_in_use(array);
}

template <class T>
void reduce(const char* function, upcr_pts dst, upcr_pts src, int code, size_t count, size_t block, T (*user)(T, T),
            int flags) {
  State& state = self();
  const ReduceOp<T> op(function, code, user);
  const SharedArray array{src, count, block, sizeof(T), state.threads};
  enter(state, function, in_sync(flags));
  if (count != 0) {
    check_access(state, function, dst, sizeof(T), {});
    T own{};
    uint64_t place = 0;
    const bool some = reduce_own(state, op, array, own, place);
    const weft_rank_t root = thread_of(dst);
    const uint64_t bank = gather_partials(state, some ? &own : nullptr, sizeof(T), place, root);
    if (state.me == root) {
      const std::vector<T> slots = read_partials<T>(bank, root, state.threads);
      std::vector<T> values;
      for (uint64_t i = 0; i < slots.size(); ++i)
        if (slot_used(op, array, i)) values.push_back(slots[i]);
      const T result = fold(op, values.data(), values.size());
      (void)weft_put(root, dst.offset, &result, sizeof result);
    }
  }
  leave(out_sync(flags));
}

template <class T>
void prefix_reduce(const char* function, upcr_pts dst, upcr_pts src, int code, size_t count, size_t block,
                   T (*user)(T, T), int flags) {
  State& state = self();
  const ReduceOp<T> op(function, code, user);
  const SharedArray from{src, count, block, sizeof(T), state.threads};
  SharedArray to = from;
  to.first.offset = dst.offset;
  if (upcr_thread(src) != upcr_thread(dst) || (block > 1 && upcr_phase(src) != upcr_phase(dst)))
    fail({}, "%s: source and destination must have the same affinity and phase", function);
  enter(state, function, in_sync(flags));
  if (count != 0) {
    const Piece piece = piece_of(from, state.me);
    std::vector<T> values(piece.end - piece.begin);
    from.read(piece.begin, piece.end, values.data(), state.me);
    for (size_t i = 1; i < values.size(); ++i) values[i] = op(values[i - 1], values[i]);
    const T* const last = values.empty() ? nullptr : &values.back();
    const uint64_t bank = gather_partials(state, last, sizeof(T), piece.number, 0);
    if (!values.empty() && piece.number != 0) {
      const std::vector<T> before = read_partials<T>(bank, 0, piece.number);
      const T carry = fold(op, before.data(), before.size());
      for (T& value : values) value = op(carry, value);
    }
    to.write(piece.begin, piece.end, values.data(), state.me);
  }
  leave(out_sync(flags));
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

#define WEFT_UPC_REDUCTION(suffix, type)                                                                 \
  void upc_all_reduce##suffix(upcr_pts dst, upcr_pts src, int op, size_t nelems, size_t blk_size,        \
                              type (*func)(type, type), int flags) {                                     \
    reduce<type>("upc_all_reduce" #suffix, dst, src, op, nelems, blk_size, func, flags);                 \
  }                                                                                                      \
  void upc_all_prefix_reduce##suffix(upcr_pts dst, upcr_pts src, int op, size_t nelems, size_t blk_size, \
                                     type (*func)(type, type), int flags) {                              \
    prefix_reduce<type>("upc_all_prefix_reduce" #suffix, dst, src, op, nelems, blk_size, func, flags);   \
  }

WEFT_UPC_REDUCTION(C, signed char)
WEFT_UPC_REDUCTION(UC, unsigned char)
WEFT_UPC_REDUCTION(S, signed short)
WEFT_UPC_REDUCTION(US, unsigned short)
WEFT_UPC_REDUCTION(I, signed int)
WEFT_UPC_REDUCTION(UI, unsigned int)
WEFT_UPC_REDUCTION(L, signed long)
WEFT_UPC_REDUCTION(UL, unsigned long)
WEFT_UPC_REDUCTION(F, float)
WEFT_UPC_REDUCTION(D, double)
WEFT_UPC_REDUCTION(LD, long double)
#undef WEFT_UPC_REDUCTION

}  // extern "C"
