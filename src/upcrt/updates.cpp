// Updates of memory that is not mapped, many for one message (weft/upcrt/update.h).
#include <algorithm>
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
constexpr uint32_t kSizes[] = {4, 8, 4, 8};

bool has_operand(upcr_update_op_t op) { return op != UPCR_UPDATE_INC && op != UPCR_UPDATE_DEC; }

// What is to be done to one thread's memory: one operation at many places.
struct List {
  upcr_update_op_t op = UPCR_UPDATE_ADD;
  upcr_update_type_t type = UPCR_UPDATE_U32;
  bool mapped = false;  // it is never filled
  bool waits = false;   // is among those that finish() sends
  size_t count = 0;
  size_t room = 0;  // for as many updates of this kind nothing has to be asked
  std::vector<size_t> offsets;
  std::vector<std::byte> operands;
  Place last = {};  // of the updates, in the source

  void add(uint64_t offset, const void* operand, Place where) {
    const size_t number = count++;
    offsets[number] = offset;
    last = where;
    if (!has_operand(op)) return;
    if (kSizes[type] == sizeof(uint64_t))
      std::memcpy(operands.data() + number * sizeof(uint64_t), operand, sizeof(uint64_t));
    else
      std::memcpy(operands.data() + number * sizeof(uint32_t), operand, sizeof(uint32_t));
  }
};

// Of one thread.
struct Updates {
  std::vector<List> lists;           // by owner
  weft_rank_t threads = 0;           // how many
  std::vector<weft_rank_t> waiting;  // owners of lists that have been filled
  std::vector<weft_handle_t> handles;
};
// Initial-exec, because a loop comes here for each of its updates.
constinit thread_local OfThread<Updates> updates __attribute__((tls_model("initial-exec")));

void make_lists(Updates& own, weft_rank_t threads) {
  own.lists.resize(threads);
  own.threads = threads;
  for (weft_rank_t t = 0; t < threads; ++t) own.lists[t].mapped = base_of(t) != nullptr;
}

void make_room(List& list) {
  if (list.count == list.offsets.size()) {
    const size_t room = std::clamp<size_t>(2 * list.count, 16, kLongestList);
    list.offsets.resize(room);
    list.operands.resize(room * sizeof(uint64_t));
  }
  list.room = shadow_memory == nullptr ? list.offsets.size() : 0;
}

void send(weft_rank_t owner) {
  List& list = updates->lists[owner];
  if (updates->handles.size() == kMostUnderWay) complete(updates->handles);
  upcr_place(list.last.file, list.last.line);
  count_message(list.count * (sizeof(uint32_t) + (has_operand(list.op) ? kSizes[list.type] : 0)));
  (void)weft_atomic_indexed_nb(self().core_domains[kTypes[list.type]], owner, kOps[list.op], list.count,
                               list.offsets.data(), list.operands.data(), 0, &updates->handles.emplace_back());
  list.count = list.room = 0;
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
  if (has_operand(op)) std::memcpy(&a, operand, sizeof a);
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

// The first update of a kind, one for which there is no room, or that is not what the list is for.
[[gnu::noinline]] void update_slowly(upcr_pts_t place, upcr_update_op_t op, upcr_update_type_t type,
                                     const void* operand, Place where) {
  const State& state = self_of_access();
  const weft_rank_t owner = thread_of(place);
  const size_t size = kSizes[type];
  if (!may_be_object(state, place)) refuse_object(true, place, size, where);
  if (place.offset % size != 0) return update_misaligned(place, op, type, operand, where);
  Updates& own = *updates;
  if (own.threads != state.threads) make_lists(own, state.threads);
  List& list = own.lists[owner];
  if (list.mapped) {  // the program may look at it through a private pointer
    upcr_place(where.file, where.line);
    (void)weft_atomic_indexed(state.core_domains[kTypes[type]], owner, kOps[op], 1, &place.offset, operand);
    return;
  }
  if (shadow_memory != nullptr) {
    char x[sizeof(uint64_t)];
    shadow_value(x, place, size);
    update_value(x, op, type, operand);
    shadow_updated(place, x, size);
  }
  if (list.count != 0 && (list.op != op || list.type != type || list.count == kLongestList)) send(owner);
  if (!list.waits) own.waiting.push_back(owner);
  list.waits = true;
  list.op = op;
  list.type = type;
  make_room(list);
  list.add(place.offset, operand, where);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_update(upcr_pts_t place, upcr_update_op_t op, upcr_update_type_t type, const void* operand, const char* file,
                 int line) {
  Updates* const own = updates.find();
  if (own != nullptr && upcr_thread(place) < own->threads) {
    List& list = own->lists[thread_of(place)];
    const bool is_object = place.offset >= UPCR_STATIC_BASE && (place.offset & (kSizes[type] - 1)) == 0;
    if (list.count < list.room && list.op == op && list.type == type && is_object)
      return list.add(place.offset, operand, {file, line});
  }
  update_slowly(place, op, type, operand, {file, line});
}

void upcr_updates_finish(void) {
  send_sums();
  for (const weft_rank_t owner : updates->waiting) {
    if (updates->lists[owner].count != 0) send(owner);
    updates->lists[owner].waits = false;
  }
  updates->waiting.clear();
  complete(updates->handles);
  forget_reads();
}

}  // extern "C"
