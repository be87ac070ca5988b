// Collectives on private values (bupc_allv_*). Values pass through shared scratch memory that grows when a larger type
// comes: two banks that alternate, each with a slot for every thread. One barrier stands between writing and reading;
// collective.cpp says why two banks are enough.
#include <upc/upc_types.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "upcrt/heap.hpp"
#include "upcrt/reduce_ops.hpp"
#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// Offset of the bank of this call. All threads call with the same size.
uint64_t open_bank(State& state, const char* function, size_t size) {
  check_collective(state, function);
  const uint64_t slot = (size + 15) / 16 * 16;
  if (slot > state.scratch_slot) {
    // Nobody uses the old one any more after this barrier, and thread 0 frees it after that.
    const uint64_t old = state.scratch;
    uint64_t fresh = 0;
    if (state.me == 0) fresh = heap_allocate(state, function, BlockKind::global, 2 * slot * state.threads);
    state.scratch = broadcast_word(state, fresh, 0);
    if (state.scratch == 0) fail({}, "%s: no shared memory is left for values of %zu bytes", function, size);
    if (state.me == 0 && old != 0) heap_free(state, function, upcr_make(old, 0, 0), {});
    state.scratch_slot = slot;
  }
  return state.scratch + (state.scratch_uses++ & 1) * state.scratch_slot * state.threads;
}

weft_rank_t check_thread(State& state, const char* function, int thread) {
  if (thread < 0 || static_cast<weft_rank_t>(thread) >= state.threads)
    fail({}, "%s: there is no thread %d; threads are 0 to %u", function, thread, state.threads - 1);
  return static_cast<weft_rank_t>(thread);
}

void put_slot(const State& state, weft_rank_t thread, uint64_t bank, uint64_t slot, const void* value, size_t size) {
  (void)weft_put(thread, bank + slot * state.scratch_slot, value, size);
}
void get_slot(const State& state, weft_rank_t thread, uint64_t bank, uint64_t slot, void* value, size_t size) {
  (void)weft_get(value, thread, bank + slot * state.scratch_slot, size);
}

// The values of threads [0, count), close together.
void get_slots(const State& state, weft_rank_t thread, uint64_t bank, uint64_t count, size_t size, void* values) {
  std::vector<char> slots(count * state.scratch_slot);
  (void)weft_get(slots.data(), thread, bank, slots.size());
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(values) + i * size, slots.data() + i * state.scratch_slot, size);
}

template <class T>
void combine(const char* function, const char* values, uint64_t count, int op, void* result) {
  const ReduceOp<T> apply(function, op, nullptr);
  T sum;
  std::memcpy(&sum, values, sizeof sum);
  for (uint64_t i = 1; i < count; ++i) {
    T next;
    std::memcpy(&next, values + i * sizeof(T), sizeof next);
    sum = apply(sum, next);
  }
  std::memcpy(result, &sum, sizeof sum);
}

void combine_any(const char* function, int type, const char* values, uint64_t count, int op, void* result) {
  switch (type) {
    case UPC_CHAR:
      return combine<signed char>(function, values, count, op, result);
    case UPC_UCHAR:
      return combine<unsigned char>(function, values, count, op, result);
    case UPC_SHORT:
      return combine<short>(function, values, count, op, result);
    case UPC_USHORT:
      return combine<unsigned short>(function, values, count, op, result);
    case UPC_INT:
      return combine<int>(function, values, count, op, result);
    case UPC_UINT:
      return combine<unsigned>(function, values, count, op, result);
    case UPC_LONG:
      return combine<long>(function, values, count, op, result);
    case UPC_ULONG:
      return combine<unsigned long>(function, values, count, op, result);
    case UPC_FLOAT:
      return combine<float>(function, values, count, op, result);
    case UPC_DOUBLE:
      return combine<double>(function, values, count, op, result);
    case UPC_LDOUBLE:
      return combine<long double>(function, values, count, op, result);
    default:
      fail({}, "%s: the type is none that reductions know", function);
  }
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

int upcr_type_of_size(size_t size, int is_signed, int is_floating) {
  if (is_floating != 0) return size == 4 ? UPC_FLOAT : size == 8 ? UPC_DOUBLE : UPC_LDOUBLE;
  switch (size) {
    case 1:
      return is_signed != 0 ? UPC_CHAR : UPC_UCHAR;
    case 2:
      return is_signed != 0 ? UPC_SHORT : UPC_USHORT;
    case 4:
      return is_signed != 0 ? UPC_INT : UPC_UINT;
    case 8:
      return is_signed != 0 ? UPC_LONG : UPC_ULONG;
    default:
      return 0;
  }
}

// root -1: the result on all threads.
void upcr_allv_reduce(void* value, size_t size, int type, int op, int root) {
  State& state = self();
  constexpr const char* function = "bupc_allv_reduce";
  const weft_rank_t at = root == -1 ? 0 : check_thread(state, function, root);
  const uint64_t bank = open_bank(state, function, size);
  put_slot(state, at, bank, state.me, value, size);
  internal_barrier();
  if (root != -1 && state.me != at) return;
  std::vector<char> values(state.threads * size);
  get_slots(state, at, bank, state.threads, size, values.data());
  combine_any(function, type, values.data(), state.threads, op, value);
}

void upcr_allv_prefix_reduce(void* value, size_t size, int type, int op) {
  State& state = self();
  constexpr const char* function = "bupc_allv_prefix_reduce";
  const uint64_t bank = open_bank(state, function, size);
  put_slot(state, 0, bank, state.me, value, size);
  internal_barrier();
  std::vector<char> values((state.me + size_t{1}) * size);
  get_slots(state, 0, bank, state.me + uint64_t{1}, size, values.data());
  combine_any(function, type, values.data(), state.me + uint64_t{1}, op, value);
}

void upcr_allv_broadcast(void* value, size_t size, int root) {
  State& state = self();
  const weft_rank_t from = check_thread(state, "bupc_allv_broadcast", root);
  const uint64_t bank = open_bank(state, "bupc_allv_broadcast", size);
  if (state.me == from) put_slot(state, from, bank, 0, value, size);
  internal_barrier();
  if (state.me != from) get_slot(state, from, bank, 0, value, size);
}

void upcr_allv_scatter(void* value, const void* root_source, size_t size, int root) {
  State& state = self();
  const weft_rank_t from = check_thread(state, "bupc_allv_scatter", root);
  const uint64_t bank = open_bank(state, "bupc_allv_scatter", size);
  if (state.me == from)
    for (weft_rank_t i = 0; i < state.threads; ++i)
      put_slot(state, from, bank, i, static_cast<const char*>(root_source) + i * size, size);
  internal_barrier();
  get_slot(state, from, bank, state.me, value, size);
}

// root -1: to all threads.
void upcr_allv_gather(const void* value, void* root_destination, size_t size, int root) {
  State& state = self();
  const weft_rank_t at = root == -1 ? 0 : check_thread(state, "bupc_allv_gather", root);
  const uint64_t bank = open_bank(state, "bupc_allv_gather", size);
  put_slot(state, at, bank, state.me, value, size);
  internal_barrier();
  if (root == -1 || state.me == at) get_slots(state, at, bank, state.threads, size, root_destination);
}

void upcr_allv_permute(void* value, size_t size, int to_thread) {
  State& state = self();
  const weft_rank_t to = check_thread(state, "bupc_allv_permute", to_thread);
  const uint64_t bank = open_bank(state, "bupc_allv_permute", size);
  put_slot(state, to, bank, 0, value, size);
  internal_barrier();
  get_slot(state, state.me, bank, 0, value, size);
}

}  // extern "C"
