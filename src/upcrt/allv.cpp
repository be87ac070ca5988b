// Collectives on private values (bupc_allv_*), by the library's.
#include <upc/upc_types.h>

#include <cstring>
#include <memory>

#include "upcrt/collective.hpp"
#include "upcrt/reduce_ops.hpp"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// The library's default is MYSYNC, which is what values need.
constexpr unsigned no_flags = 0;

// One collective of the caller, from its beginning to its end.
class ValueCall {
 public:
  explicit ValueCall(const char* function) : calling_(function), state_(self()), function_(function) {
    enter(state_, function);
  }
  ~ValueCall() { see(&collective_key); }
  ValueCall(const ValueCall&) = delete;
  ValueCall& operator=(const ValueCall&) = delete;

  size_t threads() const { return state_.threads; }
  bool is_mine(uint32_t thread) const { return thread == state_.me; }
  uint32_t thread(int number) const {
    if (number < 0 || static_cast<weft_rank_t>(number) >= state_.threads)
      fail({}, "%s: there is no thread %d; threads are 0 to %u", function_, number, state_.threads - 1);
    return static_cast<uint32_t>(number);
  }

 private:
  Calling calling_;
  State& state_;
  const char* function_;
};

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
void upcr_allv_reduce(void* value, size_t, int type, int op, int root) {
  constexpr const char* function = "bupc_allv_reduce";
  const ValueCall call(function);
  const weft_reduction_t reduction = predefined_reduction(function, type, op);
  if (root == -1) {
    (void)weft_reduce_all(WEFT_TEAM_WORLD, value, WEFT_IN_PLACE, 1, reduction, no_flags);
  } else {
    const uint32_t at = call.thread(root);
    (void)weft_reduce(WEFT_TEAM_WORLD, call.is_mine(at) ? value : nullptr, value, 1, reduction, at, no_flags);
  }
}

void upcr_allv_prefix_reduce(void* value, size_t, int type, int op) {
  constexpr const char* function = "bupc_allv_prefix_reduce";
  const ValueCall call(function);
  (void)weft_prefix(WEFT_TEAM_WORLD, value, WEFT_IN_PLACE, 1, predefined_reduction(function, type, op), no_flags);
}

void upcr_allv_broadcast(void* value, size_t size, int root) {
  const ValueCall call("bupc_allv_broadcast");
  const uint32_t from = call.thread(root);
  (void)weft_broadcast(WEFT_TEAM_WORLD, value, value, size, from, no_flags);
}

void upcr_allv_scatter(void* value, const void* root_source, size_t size, int root) {
  const ValueCall call("bupc_allv_scatter");
  const uint32_t from = call.thread(root);
  (void)weft_scatter(WEFT_TEAM_WORLD, value, root_source, size, from, no_flags);
}

// root -1: to all threads, of which one that gives no destination does not want the values.
void upcr_allv_gather(const void* value, void* root_destination, size_t size, int root) {
  const ValueCall call("bupc_allv_gather");
  if (root == -1) {
    const std::unique_ptr<char[]> ignored(root_destination == nullptr ? new char[size * call.threads()] : nullptr);
    void* const destination = ignored != nullptr ? ignored.get() : root_destination;
    (void)weft_gather_all(WEFT_TEAM_WORLD, destination, value, size, no_flags);
  } else {
    const uint32_t at = call.thread(root);
    (void)weft_gather(WEFT_TEAM_WORLD, root_destination, value, size, at, no_flags);
  }
}

void upcr_allv_permute(void* value, size_t size, int to_thread) {
  const ValueCall call("bupc_allv_permute");
  const uint32_t to = call.thread(to_thread);
  // A value may be of any size, and source and destination of a permutation are two places.
  constexpr size_t small = 256;
  char on_stack[small];
  const std::unique_ptr<char[]> on_heap(size > small ? new char[size] : nullptr);
  char* const from = size > small ? on_heap.get() : on_stack;
  std::memcpy(from, value, size);
  (void)weft_permute(WEFT_TEAM_WORLD, value, from, size, to, no_flags);
}

}  // extern "C"
