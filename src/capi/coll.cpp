#include "weft/coll.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "capi/collective.hpp"
#include "weft/barrier.h"

namespace weft::capi {
namespace {

using coll::Op;
using coll::Request;
using coll::VectorSizes;

constexpr unsigned in_flags = WEFT_IN_NOSYNC | WEFT_IN_MYSYNC | WEFT_IN_ALLSYNC;
constexpr unsigned out_flags = WEFT_OUT_NOSYNC | WEFT_OUT_MYSYNC | WEFT_OUT_ALLSYNC;

std::byte* bytes(void* pointer) { return static_cast<std::byte*>(pointer); }
const std::byte* bytes(const void* pointer) { return static_cast<const std::byte*>(pointer); }

// A call on its way in: what it is about, and where its completion goes.
struct Entry {
  Entry(const char* blocking_function, weft_team_t on, unsigned with_flags)
      : function(blocking_function), team(on), flags(with_flags) {}
  Entry(const char* nb_function, weft_team_t on, unsigned with_flags, weft_handle_t* to)
      : function(nb_function), team(on), flags(with_flags), handle(to), blocking(false) {}
  const char* function;
  weft_team_t team;
  unsigned flags;
  weft_handle_t* handle = nullptr;
  bool blocking = true;
};

// "WEFT_IN_MYSYNC and WEFT_IN_ALLSYNC"; bits without a name as a number.
std::string names_of(unsigned flags) {
  constexpr std::pair<unsigned, const char*> known[] = {
      {WEFT_IMMEDIATE, "WEFT_IMMEDIATE"},   {WEFT_STREAM, "WEFT_STREAM"},          {WEFT_IN_NOSYNC, "WEFT_IN_NOSYNC"},
      {WEFT_IN_MYSYNC, "WEFT_IN_MYSYNC"},   {WEFT_IN_ALLSYNC, "WEFT_IN_ALLSYNC"},  {WEFT_OUT_NOSYNC, "WEFT_OUT_NOSYNC"},
      {WEFT_OUT_MYSYNC, "WEFT_OUT_MYSYNC"}, {WEFT_OUT_ALLSYNC, "WEFT_OUT_ALLSYNC"}};
  std::string names;
  const auto add = [&](const char* name) { names += (names.empty() ? "" : " and ") + std::string(name); };
  unsigned unnamed = flags;
  for (const auto& [flag, name] : known) {
    if ((flags & flag) != 0) add(name);
    unnamed &= ~flag;
  }
  char number[16];
  std::snprintf(number, sizeof number, "%#x", unnamed);
  if (unnamed != 0) add(number);
  return names;
}

bool flags_agree(const Entry& entry) {
  if (const unsigned unknown = entry.flags & ~(in_flags | out_flags)) {
    base::log_error(
        "%s: the flags have %s; collectives take one of WEFT_IN_NOSYNC, _MYSYNC and _ALLSYNC, and one of "
        "WEFT_OUT_NOSYNC, _MYSYNC and _ALLSYNC",
        entry.function, names_of(unknown).c_str());
    return false;
  }
  for (const unsigned side : {entry.flags & in_flags, entry.flags & out_flags}) {
    if ((side & (side - 1)) == 0) continue;
    base::log_error("%s: the flags %s contradict each other; give one of them", entry.function, names_of(side).c_str());
    return false;
  }
  return true;
}

// Whether this member's part of the operation needs the buffer.
bool needs_source(Op op, bool at_root) { return at_root || !from_root(op); }
bool needs_destination(Op op, bool at_root) { return at_root ? !from_root(op) : !to_root(op); }

// Whether buffers have one block per member.
bool in_blocks(Op op) {
  return op == Op::scatter || op == Op::gather || op == Op::gather_all || op == Op::exchange ||
         op == Op::reduce_scatter;
}

void tell_too_large(const Entry& entry, uint32_t blocks, size_t count, size_t element) {
  const std::string each = element == 1 ? std::to_string(count) + " bytes"
                                        : std::to_string(count) + " elements of " + std::to_string(element) + " bytes";
  base::log_error("%s: %u block%s of %s are more than any memory holds", entry.function, blocks, blocks == 1 ? "" : "s",
                  each.c_str());
}

// Logs an error if the caller's largest buffer, of `count` elements per block, cannot be.
bool is_possible(const Entry& entry, const coll::Team& team, Op op, size_t count, size_t element) {
  const uint32_t blocks = in_blocks(op) ? team.members.size() : 1;
  size_t size;
  if (__builtin_expect(!__builtin_mul_overflow(count, element, &size) && !__builtin_mul_overflow(size, blocks, &size) &&
                           size <= PTRDIFF_MAX,
                       1))
    return true;
  tell_too_large(entry, blocks, count, element);
  return false;
}

// A member's own list of sizes and offsets, of the buffer named: as is_possible(). Sets the largest size.
bool is_possible(const Entry& entry, const char* buffer, const size_t* sizes, const size_t* offsets, size_t members,
                 size_t& largest) {
  size_t sum = 0;
  largest = 0;
  for (size_t m = 0; m < members; ++m) {
    size_t end;
    largest = std::max(largest, sizes[m]);
    if (sizes[m] != 0 && (__builtin_add_overflow(offsets[m], sizes[m], &end) || end > PTRDIFF_MAX)) {
      base::log_error("%s: the %s of member %zu, %zu bytes at offset %zu, reaches further than any memory",
                      entry.function, buffer, m, sizes[m], offsets[m]);
      return false;
    }
    if (__builtin_add_overflow(sum, sizes[m], &sum) || sum > PTRDIFF_MAX) {
      base::log_error("%s: the %s sizes of members 0 to %zu are together more than any memory holds", entry.function,
                      buffer, m);
      return false;
    }
  }
  return true;
}

// WEFT_CHECK: ends the job if a buffer is missing that this member's part needs.
void check_buffers(const Entry& entry, const coll::Team& team, const Request& request) {
  const Op op = request.op;
  if (op == Op::barrier || op == Op::exchange_v) return;
  const bool at_root = team.members.me() == request.root;
  bool moves = request.size != 0, moves_own = moves;  // anything; anything in the buffer that only this member has
  if (coll::has_sizes(op)) {
    const VectorSizes& sizes = *request.sizes;
    const size_t* const list = op == Op::scatter_v ? sizes.from_size : sizes.to_size;
    moves_own = sizes.own != 0;
    moves = list == nullptr ? moves_own
                            : std::any_of(list, list + team.members.size(), [](size_t size) { return size != 0; });
  }
  const bool source_is_own = !from_root(op), destination_is_own = !to_root(op) && op != Op::gather_all_v;
  if (request.source == nullptr && needs_source(op, at_root) && (source_is_own ? moves_own : moves))
    misuse("%s: the source is NULL", entry.function);
  if (request.destination == nullptr && needs_destination(op, at_root) && (destination_is_own ? moves_own : moves))
    misuse("%s: the destination is NULL", entry.function);
}

[[noreturn]] void refuse_in_place(const Entry& entry, const coll::Team& team, const Request& request,
                                  const char* buffer, bool roots_alone) {
  if (roots_alone)
    misuse("%s: WEFT_IN_PLACE as the %s is for the root alone, which is %s; this is %s", entry.function, buffer,
           team.members.name(request.root).c_str(), team.members.name(team.members.me()).c_str());
  misuse("%s: the %s cannot be WEFT_IN_PLACE", entry.function, buffer);
}

// Replaces WEFT_IN_PLACE by where the data is; ends the job if it stands where nothing is in place.
[[gnu::noinline]] void resolve_in_place(const Entry& entry, const coll::Team& team, Request& request) {
  const Op op = request.op;
  const uint32_t me = team.members.me();
  const bool at_root = me == request.root;
  if (request.destination == WEFT_IN_PLACE) {
    const bool scatters = op == Op::scatter || op == Op::scatter_v;
    if (!scatters || !at_root) refuse_in_place(entry, team, request, "destination", scatters);
    request.destination = nullptr;
  }
  if (request.source == WEFT_IN_PLACE) {
    const bool apart = from_root(op) || op == Op::permute || op == Op::exchange_v;
    const bool others = to_root(op) && !at_root;
    if (apart || others) refuse_in_place(entry, team, request, "source", others);
    const bool blocks = op == Op::gather || op == Op::gather_all;
    const size_t at = coll::has_sizes(op) ? request.sizes->to_offset[me] : blocks ? me * request.size : 0;
    request.source = request.destination + at;
  }
}

int perform(Thread& thread, coll::Team& team, const Entry& entry, Request& request, VectorSizes* sizes = nullptr) {
  if (__builtin_expect(entry.flags != 0, 0)) {
    if (!flags_agree(entry)) return WEFT_ERR_INVALID;
    request.in_all = (entry.flags & WEFT_IN_ALLSYNC) != 0;
    request.out_all = (entry.flags & WEFT_OUT_ALLSYNC) != 0;
    request.out_none = (entry.flags & WEFT_OUT_NOSYNC) != 0;
  }
  if (thread.rank->check) check_buffers(entry, team, request);
  // Nothing to move: what is left is the synchronisation, if any is wanted.
  if (request.size == 0 && request.op != Op::barrier && !coll::has_sizes(request.op)) {
    const bool all = request.in_all || request.out_all || thread.rank->check;
    request = {};
    if (!all) {
      if (entry.blocking) return WEFT_OK;
      check_handle_pointer(entry.function, entry.handle);
      *entry.handle = WEFT_HANDLE_DONE;
      return WEFT_OK;
    }
  }
  coll::Engine& engine = thread.rank->coll;
  if (entry.blocking) {
    engine.run(team, request, sizes);
    return WEFT_OK;
  }
  return with_handle(thread, entry.handle, [&](rma::Operation& operation) {
    return engine.start(team, request, sizes, operation, false) ? rma::Result::done : rma::Result::posted;
  });
}

// Collectives that move blocks.
int move(const Entry& entry, Op op, void* destination, const void* source, size_t size, uint32_t root = 0) {
  Thread& thread = enter(entry.function);
  coll::Team& team = find_team(thread, entry.function, entry.team);
  if (!has_member(entry.function, team, root) || !is_possible(entry, team, op, size, 1)) return WEFT_ERR_INVALID;
  // Member by member: an initialiser would be a memset.
  Request request;
  request.op = op;
  request.destination = bytes(destination);
  request.source = bytes(source);
  request.size = size;
  request.root = root;
  if (source == WEFT_IN_PLACE || destination == WEFT_IN_PLACE) resolve_in_place(entry, team, request);
  request.own_copy = op == Op::exchange && request.source == request.destination;
  return perform(thread, team, entry, request);
}

int reduce(const Entry& entry, Op op, void* destination, const void* source, size_t count,
           const weft_reduction_t& reduction, uint32_t root = 0, bool exclusive = false) {
  Thread& thread = enter(entry.function);
  coll::Team& team = find_team(thread, entry.function, entry.team);
  if (!has_member(entry.function, team, root)) return WEFT_ERR_INVALID;
  Request request;
  request.op = op;
  request.destination = bytes(destination);
  request.source = bytes(source);
  request.root = root;
  request.exclusive = exclusive;
  const Status status = coll::make_fold(entry.function, reduction, request.fold);
  if (!status.ok()) return status.code();
  if (!is_possible(entry, team, op, count, request.fold.element)) return WEFT_ERR_INVALID;
  if (source == WEFT_IN_PLACE || destination == WEFT_IN_PLACE) resolve_in_place(entry, team, request);
  request.size = count * request.fold.element;
  request.reduction_code = static_cast<uint16_t>(
      reduction.function != nullptr ? Request::users_function
                                    : static_cast<unsigned>(reduction.op) << 4 | static_cast<unsigned>(reduction.type));
  request.own_copy = op == Op::reduce_scatter && request.source == request.destination;
  return perform(thread, team, entry, request);
}

// Of a call that returns before it is complete: the program may change its lists.
void keep_lists(const Entry& entry, VectorSizes& sizes, size_t members) {
  if (entry.blocking) return;
  const size_t** const lists[] = {&sizes.to_size, &sizes.to_offset, &sizes.from_size, &sizes.from_offset};
  const auto given = std::count_if(std::begin(lists), std::end(lists), [](auto list) { return *list != nullptr; });
  if (given == 0) return;
  sizes.storage = std::make_unique_for_overwrite<size_t[]>(static_cast<size_t>(given) * members);
  size_t* next = sizes.storage.get();
  for (const size_t** list : lists) {
    if (*list == nullptr) continue;
    std::copy(*list, *list + members, next);
    *list = std::exchange(next, next + members);
  }
}

int exchange_v(const Entry& entry, void* destination, const size_t* to_size, const size_t* to_offset,
               const void* source, const size_t* from_size, const size_t* from_offset) {
  Thread& thread = enter(entry.function);
  coll::Team& team = find_team(thread, entry.function, entry.team);
  const size_t n = team.members.size();
  check_pointer(entry.function, to_size, "list of destination sizes");
  check_pointer(entry.function, to_offset, "list of destination offsets");
  check_pointer(entry.function, from_size, "list of source sizes");
  check_pointer(entry.function, from_offset, "list of source offsets");
  size_t largest;
  if (!is_possible(entry, "destination", to_size, to_offset, n, largest) ||
      !is_possible(entry, "source", from_size, from_offset, n, largest))
    return WEFT_ERR_INVALID;
  VectorSizes sizes;
  sizes.to_size = to_size;
  sizes.to_offset = to_offset;
  sizes.from_size = from_size;
  sizes.from_offset = from_offset;
  keep_lists(entry, sizes, n);
  Request request;
  request.op = Op::exchange_v;
  request.destination = bytes(destination);
  request.source = bytes(source);
  request.sizes = &sizes;
  if (source == WEFT_IN_PLACE || destination == WEFT_IN_PLACE) resolve_in_place(entry, team, request);
  return perform(thread, team, entry, request, &sizes);
}

// gather_v, scatter_v, gather_all_v. `own`: the size of this member's block; the lists are those of the other buffer.
int move_v(const Entry& entry, Op op, void* destination, const void* source, size_t own, const size_t* sizes,
           const size_t* offsets, uint32_t root = 0) {
  Thread& thread = enter(entry.function);
  coll::Team& team = find_team(thread, entry.function, entry.team);
  if (!has_member(entry.function, team, root)) return WEFT_ERR_INVALID;
  const uint32_t me = team.members.me();
  const bool scatters = op == Op::scatter_v;
  const bool has_lists = op == Op::gather_all_v || me == root;
  VectorSizes v;
  Request request;
  if (has_lists) {
    check_pointer(entry.function, sizes, scatters ? "list of source sizes" : "list of destination sizes");
    check_pointer(entry.function, offsets, scatters ? "list of source offsets" : "list of destination offsets");
    size_t largest;
    if (!is_possible(entry, scatters ? "source" : "destination", sizes, offsets, team.members.size(), largest))
      return WEFT_ERR_INVALID;
    if (op == Op::gather_all_v) request.size = largest;
    (scatters ? v.from_size : v.to_size) = sizes;
    (scatters ? v.from_offset : v.to_offset) = offsets;
  }
  request.op = op;
  request.destination = bytes(destination);
  request.source = bytes(source);
  request.root = root;
  request.sizes = &v;
  const bool in_place = (scatters ? destination : source) == WEFT_IN_PLACE;
  if (source == WEFT_IN_PLACE || destination == WEFT_IN_PLACE) resolve_in_place(entry, team, request);
  v.own = in_place ? sizes[me] : own;
  if (v.own > PTRDIFF_MAX) {
    tell_too_large(entry, 1, v.own, 1);
    return WEFT_ERR_INVALID;
  }
  if (has_lists && v.own != sizes[me]) {
    const std::string name = team.members.name(me);
    misuse("%s: %s sends %zu bytes to %s, which expects %zu", entry.function, name.c_str(),
           scatters ? sizes[me] : v.own, name.c_str(), scatters ? v.own : sizes[me]);
  }
  keep_lists(entry, v, team.members.size());
  return perform(thread, team, entry, request, &v);
}

void check_alternation(Status status, const char* function) {
  if (status.code() == WEFT_ERR_INVALID) misuse("%s: notify and wait must alternate", function);
}

// The split-phase barrier of a team that is not the world.
coll::Barrier& enter_barrier(const char* function, weft_team_t team, unsigned flags) {
  Thread& thread = enter(function);
  check_barrier_flags(thread, function, flags);
  return thread.rank->coll.barrier(find_team(thread, function, team));
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;
using weft::coll::Op;

extern "C" {

// ---- Barrier ----

int weft_team_barrier(weft_team_t team) {
  if (team == WEFT_TEAM_WORLD) return weft_barrier();
  weft::coll::Barrier& barrier = enter_barrier("weft_team_barrier", team, 0);
  check_alternation(barrier.notify(0, true), "weft_team_barrier");
  return barrier.wait(0, true).code();
}

int weft_team_barrier_notify(weft_team_t team, int32_t value, unsigned flags) {
  if (team == WEFT_TEAM_WORLD) return weft_barrier_notify(value, flags);
  weft::coll::Barrier& barrier = enter_barrier("weft_team_barrier_notify", team, flags);
  check_alternation(barrier.notify(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0), "weft_team_barrier_notify");
  return WEFT_OK;
}

int weft_team_barrier_wait(weft_team_t team, int32_t value, unsigned flags) {
  if (team == WEFT_TEAM_WORLD) return weft_barrier_wait(value, flags);
  weft::coll::Barrier& barrier = enter_barrier("weft_team_barrier_wait", team, flags);
  const weft::Status status = barrier.wait(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0);
  check_alternation(status, "weft_team_barrier_wait");
  return status.code();
}

int weft_team_barrier_try(weft_team_t team, int32_t value, unsigned flags) {
  if (team == WEFT_TEAM_WORLD) return weft_barrier_try(value, flags);
  weft::coll::Barrier& barrier = enter_barrier("weft_team_barrier_try", team, flags);
  bool arrived = false;
  const weft::Status status = barrier.try_wait(value, (flags & WEFT_BARRIER_ANONYMOUS) != 0, arrived);
  check_alternation(status, "weft_team_barrier_try");
  return status.ok() ? static_cast<int>(arrived) : static_cast<int>(status.code());
}

int weft_team_barrier_nb(weft_team_t team, weft_handle_t* handle) {
  return move({"weft_team_barrier_nb", team, 0, handle}, Op::barrier, nullptr, nullptr, 0);
}

// ---- Moving ----

int weft_broadcast(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root,
                   unsigned flags) {
  return move({"weft_broadcast", team, flags}, Op::broadcast, destination, source, size, root);
}
int weft_broadcast_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root,
                      unsigned flags, weft_handle_t* handle) {
  return move({"weft_broadcast_nb", team, flags, handle}, Op::broadcast, destination, source, size, root);
}

int weft_scatter(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags) {
  return move({"weft_scatter", team, flags}, Op::scatter, destination, source, size, root);
}
int weft_scatter_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags,
                    weft_handle_t* handle) {
  return move({"weft_scatter_nb", team, flags, handle}, Op::scatter, destination, source, size, root);
}

int weft_gather(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags) {
  return move({"weft_gather", team, flags}, Op::gather, destination, source, size, root);
}
int weft_gather_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t root, unsigned flags,
                   weft_handle_t* handle) {
  return move({"weft_gather_nb", team, flags, handle}, Op::gather, destination, source, size, root);
}

int weft_gather_all(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags) {
  return move({"weft_gather_all", team, flags}, Op::gather_all, destination, source, size);
}
int weft_gather_all_nb(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags,
                       weft_handle_t* handle) {
  return move({"weft_gather_all_nb", team, flags, handle}, Op::gather_all, destination, source, size);
}

int weft_exchange(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags) {
  return move({"weft_exchange", team, flags}, Op::exchange, destination, source, size);
}
int weft_exchange_nb(weft_team_t team, void* destination, const void* source, size_t size, unsigned flags,
                     weft_handle_t* handle) {
  return move({"weft_exchange_nb", team, flags, handle}, Op::exchange, destination, source, size);
}

int weft_exchange_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                    const size_t* destination_offsets, const void* source, const size_t* source_sizes,
                    const size_t* source_offsets, unsigned flags) {
  return exchange_v({"weft_exchange_v", team, flags}, destination, destination_sizes, destination_offsets, source,
                    source_sizes, source_offsets);
}
int weft_exchange_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                       const size_t* destination_offsets, const void* source, const size_t* source_sizes,
                       const size_t* source_offsets, unsigned flags, weft_handle_t* handle) {
  return exchange_v({"weft_exchange_v_nb", team, flags, handle}, destination, destination_sizes, destination_offsets,
                    source, source_sizes, source_offsets);
}

int weft_gather_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                  const size_t* destination_offsets, const void* source, size_t source_size, uint32_t root,
                  unsigned flags) {
  return move_v({"weft_gather_v", team, flags}, Op::gather_v, destination, source, source_size, destination_sizes,
                destination_offsets, root);
}
int weft_gather_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                     const size_t* destination_offsets, const void* source, size_t source_size, uint32_t root,
                     unsigned flags, weft_handle_t* handle) {
  return move_v({"weft_gather_v_nb", team, flags, handle}, Op::gather_v, destination, source, source_size,
                destination_sizes, destination_offsets, root);
}

int weft_scatter_v(weft_team_t team, void* destination, size_t destination_size, const void* source,
                   const size_t* source_sizes, const size_t* source_offsets, uint32_t root, unsigned flags) {
  return move_v({"weft_scatter_v", team, flags}, Op::scatter_v, destination, source, destination_size, source_sizes,
                source_offsets, root);
}
int weft_scatter_v_nb(weft_team_t team, void* destination, size_t destination_size, const void* source,
                      const size_t* source_sizes, const size_t* source_offsets, uint32_t root, unsigned flags,
                      weft_handle_t* handle) {
  return move_v({"weft_scatter_v_nb", team, flags, handle}, Op::scatter_v, destination, source, destination_size,
                source_sizes, source_offsets, root);
}

int weft_gather_all_v(weft_team_t team, void* destination, const size_t* destination_sizes,
                      const size_t* destination_offsets, const void* source, size_t source_size, unsigned flags) {
  return move_v({"weft_gather_all_v", team, flags}, Op::gather_all_v, destination, source, source_size,
                destination_sizes, destination_offsets);
}
int weft_gather_all_v_nb(weft_team_t team, void* destination, const size_t* destination_sizes,
                         const size_t* destination_offsets, const void* source, size_t source_size, unsigned flags,
                         weft_handle_t* handle) {
  return move_v({"weft_gather_all_v_nb", team, flags, handle}, Op::gather_all_v, destination, source, source_size,
                destination_sizes, destination_offsets);
}

int weft_permute(weft_team_t team, void* destination, const void* source, size_t size, uint32_t to, unsigned flags) {
  return move({"weft_permute", team, flags}, Op::permute, destination, source, size, to);
}
int weft_permute_nb(weft_team_t team, void* destination, const void* source, size_t size, uint32_t to, unsigned flags,
                    weft_handle_t* handle) {
  return move({"weft_permute_nb", team, flags, handle}, Op::permute, destination, source, size, to);
}

// ---- Reducing ----

int weft_reduce(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                uint32_t root, unsigned flags) {
  return reduce({"weft_reduce", team, flags}, Op::reduce, destination, source, count, reduction, root);
}
int weft_reduce_nb(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                   uint32_t root, unsigned flags, weft_handle_t* handle) {
  return reduce({"weft_reduce_nb", team, flags, handle}, Op::reduce, destination, source, count, reduction, root);
}

int weft_reduce_all(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                    unsigned flags) {
  return reduce({"weft_reduce_all", team, flags}, Op::reduce_all, destination, source, count, reduction);
}
int weft_reduce_all_nb(weft_team_t team, void* destination, const void* source, size_t count,
                       weft_reduction_t reduction, unsigned flags, weft_handle_t* handle) {
  return reduce({"weft_reduce_all_nb", team, flags, handle}, Op::reduce_all, destination, source, count, reduction);
}

int weft_reduce_scatter(weft_team_t team, void* destination, const void* source, size_t count,
                        weft_reduction_t reduction, unsigned flags) {
  return reduce({"weft_reduce_scatter", team, flags}, Op::reduce_scatter, destination, source, count, reduction);
}
int weft_reduce_scatter_nb(weft_team_t team, void* destination, const void* source, size_t count,
                           weft_reduction_t reduction, unsigned flags, weft_handle_t* handle) {
  return reduce({"weft_reduce_scatter_nb", team, flags, handle}, Op::reduce_scatter, destination, source, count,
                reduction);
}

int weft_prefix(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                unsigned flags) {
  return reduce({"weft_prefix", team, flags}, Op::prefix, destination, source, count, reduction);
}
int weft_prefix_nb(weft_team_t team, void* destination, const void* source, size_t count, weft_reduction_t reduction,
                   unsigned flags, weft_handle_t* handle) {
  return reduce({"weft_prefix_nb", team, flags, handle}, Op::prefix, destination, source, count, reduction);
}
int weft_prefix_exclusive(weft_team_t team, void* destination, const void* source, size_t count,
                          weft_reduction_t reduction, unsigned flags) {
  return reduce({"weft_prefix_exclusive", team, flags}, Op::prefix, destination, source, count, reduction, 0, true);
}
int weft_prefix_exclusive_nb(weft_team_t team, void* destination, const void* source, size_t count,
                             weft_reduction_t reduction, unsigned flags, weft_handle_t* handle) {
  return reduce({"weft_prefix_exclusive_nb", team, flags, handle}, Op::prefix, destination, source, count, reduction, 0,
                true);
}

}  // extern "C"
