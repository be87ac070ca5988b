// Reductions and prefix reductions (<upc_collective.h>).
//
// A thread reduces its own share where it lies, and the library's collectives combine what the threads have. If the
// order matters, a share is reduced block by block: the blocks of one row follow each other in the order of threads, so
// a reduction over the threads, one element per row, keeps the order of the array. No thread touches another's data,
// so MYSYNC and NOSYNC cost no barrier.
#include <algorithm>
#include <memory>

#include "upcrt/collective.hpp"
#include "upcrt/reduce_ops.hpp"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// The reduction of some elements, or of none.
template <class T>
struct Partial {
  T value{};
  bool some = false;

  void append(const ReduceOp<T>& op, T next) {
    value = some ? op(value, next) : next;
    some = true;
  }
  void append(const ReduceOp<T>& op, const Partial& next) {
    if (next.some) append(op, next.value);
  }
};

// A weft_reduce_function_t.
template <class T>
void combine(void* result, const void* left, const void* right, size_t count, void* operation) {
  const auto& op = *static_cast<const ReduceOp<T>*>(operation);
  auto* out = static_cast<Partial<T>*>(result);
  const auto* a = static_cast<const Partial<T>*>(left);
  const auto* b = static_cast<const Partial<T>*>(right);
  for (size_t i = 0; i < count; ++i) {
    Partial<T> both = a[i];
    both.append(op, b[i]);
    out[i] = both;
  }
}

template <class T>
weft_reduction_t reduction_of(const ReduceOp<T>& op) {
  return weft_reduction_by(combine<T>, const_cast<ReduceOp<T>*>(&op), sizeof(Partial<T>), op.commutative() ? 1 : 0);
}

// Rows that are combined at once: few enough to stay in the caches.
constexpr uint64_t most_rows = 1 << 14;

// Partials of some rows. One row, which is most common, needs no memory of its own.
template <class T>
class Rows {
 public:
  explicit Rows(uint64_t count) : count_(count), many_(count > 1 ? new Partial<T>[count] : nullptr) {}
  Partial<T>* data() { return many_ ? many_.get() : &one_; }
  Partial<T>& operator[](uint64_t row) { return data()[row]; }
  uint64_t count() const { return count_; }

 private:
  uint64_t count_;
  Partial<T> one_;
  std::unique_ptr<Partial<T>[]> many_;
};

// `count` elements, at least one, in order.
template <class T>
T fold(const ReduceOp<T>& op, const T* values, uint64_t count) {
  T result = values[0];
  for (uint64_t i = 1; i < count; ++i) result = op(result, values[i]);
  return result;
}

// This thread's blocks in rows from `first` on; `blocks` is moved behind them.
template <class T>
Rows<T> reduce_own(const ReduceOp<T>& op, const T* values, SharedArray::Blocks& blocks, uint64_t first,
                   uint64_t count) {
  Rows<T> rows(count);
  for (; blocks.more() && blocks.row < first + count; blocks.next())
    rows[blocks.row - first].append(op, fold(op, values + blocks.position, blocks.elements));
  return rows;
}

template <class T>
const T* own_elements(const State& state, const SharedArray& array) {
  return reinterpret_cast<const T*>(own(state, array.offset(state.me)));
}

// On the root: the reduction of all threads' `rows`, in order, after what `total` has.
template <class T>
void collect(const State& state, const ReduceOp<T>& op, Rows<T>& rows, weft_rank_t root, unsigned flags,
             Partial<T>& total) {
  (void)weft_reduce(WEFT_TEAM_WORLD, state.me == root ? rows.data() : nullptr, rows.data(), rows.count(),
                    reduction_of(op), root, flags & ~static_cast<unsigned>(WEFT_OUT_NOSYNC));
  if (state.me == root)
    for (uint64_t row = 0; row < rows.count(); ++row) total.append(op, rows[row]);
}

template <class T>
void reduce(const char* function, upcr_pts_t dst, upcr_pts_t src, int code, size_t count, size_t block, T (*user)(T, T),
            int flags) {
  State& state = self();
  const ReduceOp<T> op(function, code, user);
  const SharedArray array{src, count, block, sizeof(T), state.threads};
  const weft_rank_t root = thread_of(dst);
  check_argument(state, function, "dst", dst, sizeof(T));
  check_array(state, function, "src", array);
  const Synchronised sync(state, function, flags, count * sizeof(T));
  if (count == 0) return;
  const T* const values = own_elements<T>(state, array);
  Partial<T> total;
  if (op.commutative()) {
    Rows<T> whole(1);
    const uint64_t share = array.share(state.me);
    if (share != 0) whole[0].append(op, fold(op, values, share));
    collect(state, op, whole, root, sync.flags(), total);
  } else {
    SharedArray::Blocks blocks = array.blocks_of(state.me);
    for (uint64_t first = 0, all = array.rows(); first < all; first += most_rows) {
      Rows<T> rows = reduce_own(op, values, blocks, first, std::min(most_rows, all - first));
      collect(state, op, rows, root, sync.flags(), total);
    }
  }
  if (state.me == root) *reinterpret_cast<T*>(own(state, dst.offset)) = total.value;
}

// Turns this thread's rows into what precedes each of them: `carry`, the rows before, and the row's blocks on lower
// threads. Then `carry` has all of these rows, too, unless they are the `last`.
template <class T>
Rows<T> reduce_before(const State& state, const ReduceOp<T>& op, Rows<T>& rows, bool last, Partial<T>& carry) {
  Rows<T> before(rows.count());
  (void)weft_prefix_exclusive(WEFT_TEAM_WORLD, before.data(), rows.data(), rows.count(), reduction_of(op), 0);
  if (last && rows.count() == 1) {
    Partial<T> sum = carry;
    sum.append(op, before[0]);
    before[0] = sum;
    return before;
  }
  Rows<T>& whole = rows;  // the last thread knows what rows come to
  const weft_rank_t last_thread = state.threads - 1;
  if (state.me == last_thread)
    for (uint64_t row = 0; row < rows.count(); ++row) {
      Partial<T> sum = before[row];
      sum.append(op, rows[row]);
      whole[row] = sum;
    }
  (void)weft_broadcast(WEFT_TEAM_WORLD, whole.data(), whole.data(), rows.count() * sizeof(Partial<T>), last_thread, 0);
  for (uint64_t row = 0; row < rows.count(); ++row) {
    Partial<T> sum = carry;
    sum.append(op, before[row]);
    before[row] = sum;
    carry.append(op, whole[row]);
  }
  return before;
}

template <class T>
void prefix_reduce(const char* function, upcr_pts_t dst, upcr_pts_t src, int code, size_t count, size_t block,
                   T (*user)(T, T), int flags) {
  State& state = self();
  const ReduceOp<T> op(function, code, user);
  const SharedArray array{src, count, block, sizeof(T), state.threads};
  check_array(state, function, "dst", {dst, count, block, sizeof(T), state.threads});
  check_array(state, function, "src", array);
  if (upcr_thread(src) != upcr_thread(dst) || (block > 1 && upcr_phase(src) != upcr_phase(dst)))
    fail({}, "%s: source and destination must have the same affinity and phase", function);
  const Synchronised sync(state, function, flags, count * sizeof(T));
  if (count == 0) return;
  const T* const from = own_elements<T>(state, array);
  auto* const to = reinterpret_cast<T*>(own(state, array.offset(state.me) - src.offset + dst.offset));
  SharedArray::Blocks blocks = array.blocks_of(state.me);
  Partial<T> carry;
  for (uint64_t first = 0, all = array.rows(); first < all; first += most_rows) {
    SharedArray::Blocks again = blocks;
    Rows<T> rows = reduce_own(op, from, blocks, first, std::min(most_rows, all - first));
    Rows<T> before = reduce_before(state, op, rows, first + most_rows >= all, carry);
    for (; again.position < blocks.position; again.next()) {
      Partial<T> running = before[again.row - first];
      running.append(op, from[again.position]);
      to[again.position] = running.value;
      for (uint64_t i = again.position + 1; i < again.position + again.elements; ++i) to[i] = op(to[i - 1], from[i]);
    }
  }
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

#define WEFT_UPC_REDUCTION(suffix, type)                                                                     \
  void upc_all_reduce##suffix(upcr_pts_t dst, upcr_pts_t src, int op, size_t nelems, size_t blk_size,        \
                              type (*func)(type, type), int flags) {                                         \
    reduce<type>("upc_all_reduce" #suffix, dst, src, op, nelems, blk_size, func, flags);                     \
  }                                                                                                          \
  void upc_all_prefix_reduce##suffix(upcr_pts_t dst, upcr_pts_t src, int op, size_t nelems, size_t blk_size, \
                                     type (*func)(type, type), int flags) {                                  \
    prefix_reduce<type>("upc_all_prefix_reduce" #suffix, dst, src, op, nelems, blk_size, func, flags);       \
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
