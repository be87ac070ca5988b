// Updates of memory that is not mapped, many for one message (weft/upcrt/update.h).
#include <cstddef>
#include <cstring>
#include <vector>

#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/shadow_loops.hpp"
#include "upcrt/sums.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/atomic.h"
#include "weft/upcrt/update.h"

namespace weft::upcrt {
namespace {

constexpr size_t kLongestList = 1024;
constexpr size_t kMostUnderWay = 256;  // lists

constexpr weft_atomic_op_t kOps[] = {WEFT_ATOMIC_ADD, WEFT_ATOMIC_SUB, WEFT_ATOMIC_INC, WEFT_ATOMIC_DEC,
                                     WEFT_ATOMIC_AND, WEFT_ATOMIC_OR,  WEFT_ATOMIC_XOR};
constexpr weft_type_t kTypes[] = {WEFT_U32, WEFT_U64, WEFT_F32, WEFT_F64};
constexpr size_t kSizes[] = {4, 8, 4, 8};

// What is to be done to one thread's memory: one operation at many places.
struct List {
  upcr_update_op_t op = UPCR_UPDATE_ADD;
  upcr_update_type_t type = UPCR_UPDATE_U32;
  std::vector<size_t> offsets;
  std::vector<std::byte> operands;
  Place last = {};     // of the updates, in the source
  bool waits = false;  // is among those that finish() sends
};

// Of one thread.
struct Updates {
  std::vector<List> lists;           // by owner
  std::vector<weft_rank_t> waiting;  // owners of lists that have been filled
  std::vector<weft_handle_t> handles;
};
constinit thread_local OfThread<Updates> updates;

void send(weft_rank_t owner) {
  List& list = updates->lists[owner];
  if (updates->handles.size() == kMostUnderWay) complete(updates->handles);
  upcr_place(list.last.file, list.last.line);
  count_message(list.offsets.size() * sizeof(uint32_t) + list.operands.size());
  (void)weft_atomic_indexed_nb(self().core_domains[kTypes[list.type]], owner, kOps[list.op], list.offsets.size(),
                               list.offsets.data(), list.operands.data(), 0, &updates->handles.emplace_back());
  list.offsets.clear();
  list.operands.clear();
}

template <class T>
T updated(upcr_update_op_t op, T x, T a) {
  switch (op) {
    case UPCR_UPDATE_ADD:
      return x + a;
    case UPCR_UPDATE_SUB:
      return x - a;
    case UPCR_UPDATE_INC:
      return x + T{1};
    case UPCR_UPDATE_DEC:
      return x - T{1};
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == UPCR_UPDATE_AND) return x & a;
    if (op == UPCR_UPDATE_OR) return x | a;
    if (op == UPCR_UPDATE_XOR) return x ^ a;
  }
  return x;
}

// What becomes of an object `x`.
template <class T>
void update_value(void* x, upcr_update_op_t op, const void* operand) {
  T value, a{};
  if (op != UPCR_UPDATE_INC && op != UPCR_UPDATE_DEC) std::memcpy(&a, operand, sizeof a);
  std::memcpy(&value, x, sizeof value);
  value = updated(op, value, a);
  std::memcpy(x, &value, sizeof value);
}
void update_value(void* x, upcr_update_op_t op, upcr_update_type_t type, const void* operand) {
  switch (type) {
    case UPCR_UPDATE_U32:
      return update_value<uint32_t>(x, op, operand);
    case UPCR_UPDATE_U64:
      return update_value<uint64_t>(x, op, operand);
    case UPCR_UPDATE_F32:
      return update_value<float>(x, op, operand);
    case UPCR_UPDATE_F64:
      return update_value<double>(x, op, operand);
  }
}

// A member of a packed structure: the core updates aligned words only.
void update_misaligned(upcr_pts_t place, upcr_update_op_t op, upcr_update_type_t type, const void* operand,
                       Place where) {
  upcr_updates_finish();
  char x[sizeof(uint64_t)];
  upcr_get_slow(x, place, kSizes[type], where.file, where.line);
  update_value(x, op, type, operand);
  upcr_put_slow(place, x, kSizes[type], where.file, where.line);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_update(upcr_pts_t place, upcr_update_op_t op, upcr_update_type_t type, const void* operand, const char* file,
                 int line) {
  const State& state = self_of_access();
  const weft_rank_t owner = thread_of(place);
  const size_t size = kSizes[type];
  if (!may_be_object(state, place)) refuse_object(true, place, size, {file, line});
  if (place.offset % size != 0) return update_misaligned(place, op, type, operand, {file, line});
  if (base_of(owner) != nullptr) {  // the program may look at it through a private pointer
    upcr_place(file, line);
    (void)weft_atomic_indexed(state.core_domains[kTypes[type]], owner, kOps[op], 1, &place.offset, operand);
    return;
  }
  if (shadow_memory != nullptr) {
    char x[sizeof(uint64_t)];
    shadow_value(x, place, size);
    update_value(x, op, type, operand);
    shadow_updated(place, x, size);
  }
  if (updates->lists.size() < state.threads) updates->lists.resize(state.threads);
  List& list = updates->lists[owner];
  if (!list.offsets.empty() && (list.op != op || list.type != type || list.offsets.size() == kLongestList)) send(owner);
  if (!list.waits) updates->waiting.push_back(owner);
  list.waits = true;
  list.op = op;
  list.type = type;
  list.last = {file, line};
  list.offsets.push_back(place.offset);
  if (op == UPCR_UPDATE_INC || op == UPCR_UPDATE_DEC) return;
  const auto* bytes = static_cast<const std::byte*>(operand);
  list.operands.insert(list.operands.end(), bytes, bytes + size);
}

void upcr_updates_finish(void) {
  send_sums();
  for (const weft_rank_t owner : updates->waiting) {
    if (!updates->lists[owner].offsets.empty()) send(owner);
    updates->lists[owner].waits = false;
  }
  updates->waiting.clear();
  complete(updates->handles);
  forget_reads();
}

}  // extern "C"
