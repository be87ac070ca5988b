// Teams and their collectives (<upc_team.h>): the library's, on a member's part of shared memory.
#include "weft/team.h"

#include <vector>

#include "upcrt/collective.hpp"
#include "upcrt/reduce_ops.hpp"
#include "weft/barrier.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

constexpr size_t type_sizes[] = {4, 4, 8, 8, 4, 8, 1, 1, 2, 2, sizeof(long double)};  // by weft_type_t

// ---- Making teams ----

void check_stride(const char* function, size_t size, size_t count, size_t stride) {
  if (count != 0 && stride != 0 && count <= size && stride <= size && size % (count * stride) == 0) return;
  fail({}, "%s: teams of %s, %s apart, do not cut a team of %zu into equal parts", function, SizeText(count).text,
       SizeText(stride).text, size);
}

void check_list(const char* function, size_t size, const unsigned int* members, size_t count) {
  if (count > size) fail({}, "%s: count is %s, and the parent has %zu members", function, SizeText(count).text, size);
  if (members == nullptr && count != 0) fail({}, "%s: members is a null pointer", function);
  constexpr size_t nowhere = SIZE_MAX;
  std::vector<size_t> places(size, nowhere);
  for (size_t i = 0; i < count; ++i) {
    if (members[i] >= size)
      fail({}, "%s: members[%zu] is %u; it must be from 0 to %zu", function, i, members[i], size - 1);
    size_t& place = places[members[i]];
    if (place != nowhere)
      fail({}, "%s: members[%zu] and members[%zu] are both %u; each member may be there once", function, place, i,
           members[i]);
    place = i;
  }
}

weft_team_t made(const char* function, int status, weft_team_t team) {
  if (status == WEFT_ERR_MISMATCH) fail({}, "%s: the members of the parent call it with different lists", function);
  if (status == WEFT_ERR_NO_MEMORY)
    fail({}, "%s: no room in the segment for the team; raise WEFT_SEGMENT_SIZE", function);
  if (status != WEFT_OK) fail({}, "%s: the arguments make no team of the parent's members", function);
  return team;
}

// ---- Collectives ----

// One collective of the caller: its parts of shared memory, and its flags.
class TeamCall {
 public:
  TeamCall(const char* function, weft_team_t team, int flags, weft_handle_t* handle)
      : calling_(function),
        state_(self()),
        function_(function),
        team_(team),
        members_(weft_team_size(team)),
        flags_(coll_flags(function, flags)),
        handle_(handle) {
    enter(state_, function);
  }

  uint32_t members() const { return members_; }
  /// Which member it is that the argument names.
  uint32_t root(const Argument& argument) const {
    check_not_null(function_, argument.name, argument.at);
    const weft_rank_t thread = thread_of(argument.at);
    const uint32_t member = weft_team_member(team_, thread);
    if (member == WEFT_NO_MEMBER) fail({}, "%s: the root, thread %u, is not in the team", function_, thread);
    return member;
  }
  uint32_t receiver(size_t to) const {
    if (to >= members_) fail({}, "%s: to is %s; it must be from 0 to %u", function_, SizeText(to).text, members_ - 1);
    return static_cast<uint32_t>(to);
  }
  char* part(const Argument& argument) const { return upcrt::part(state_, function_, argument); }
  /// Of an argument that only the root uses; null on others.
  char* part_of_root(const Argument& argument) const {
    return upcr_thread(argument.at) == state_.me ? part(argument) : nullptr;
  }

  /// Calls the library's function: its non-blocking form if there is a handle.
  template <class Blocking, class NonBlocking, class... Arguments>
  void run(Blocking blocking, NonBlocking non_blocking, Arguments... arguments) const {
    const int status =
        handle_ == nullptr ? blocking(team_, arguments..., flags_) : non_blocking(team_, arguments..., flags_, handle_);
    see(&collective_key);
    if (status == WEFT_OK) return;
    fail({}, "%s: %s", function_, status == WEFT_ERR_NO_MEMORY ? "no memory for a handle" : "invalid arguments");
  }

 private:
  Calling calling_;
  State& state_;
  const char* function_;
  weft_team_t team_;
  uint32_t members_;
  unsigned flags_;
  weft_handle_t* handle_;
};

void broadcast(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, size_t size) {
  const Argument source{"src", src, size};
  const uint32_t root = call.root(source);
  char* const to = call.part({"dst", dst, size});
  call.run(weft_broadcast, weft_broadcast_nb, to, call.part_of_root(source), size, root);
}

void scatter(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, size_t size) {
  const Argument source{"src", src, size, call.members()};
  const uint32_t root = call.root(source);
  char* const to = call.part({"dst", dst, size});
  call.run(weft_scatter, weft_scatter_nb, to, call.part_of_root(source), size, root);
}

void gather(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, size_t size) {
  const Argument destination{"dst", dst, size, call.members()};
  const uint32_t root = call.root(destination);
  char* const to = call.part_of_root(destination);
  call.run(weft_gather, weft_gather_nb, to, call.part({"src", src, size}), size, root);
}

void gather_all(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, size_t size) {
  char* const to = call.part({"dst", dst, size, call.members()});
  call.run(weft_gather_all, weft_gather_all_nb, to, call.part({"src", src, size}), size);
}

void exchange(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, size_t size) {
  char* const to = call.part({"dst", dst, size, call.members()});
  call.run(weft_exchange, weft_exchange_nb, to, call.part({"src", src, size, call.members()}), size);
}

void permute(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, size_t receiver, size_t size) {
  const uint32_t member = call.receiver(receiver);
  char* const to = call.part({"dst", dst, size});
  call.run(weft_permute, weft_permute_nb, to, call.part({"src", src, size}), size, member);
}

struct Elements {
  weft_reduction_t reduction;
  size_t count;
  Argument argument(const char* name, upcr_pts_t at) const {
    return {name, at, count, 1, type_sizes[reduction.type], "nelems"};
  }
};

void reduce(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, const Elements& of) {
  const Argument destination = of.argument("dst", dst);
  const uint32_t root = call.root(destination);
  char* const to = call.part_of_root(destination);
  call.run(weft_reduce, weft_reduce_nb, to, call.part(of.argument("src", src)), of.count, of.reduction, root);
}

void reduce_all(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, const Elements& of) {
  char* const to = call.part(of.argument("dst", dst));
  call.run(weft_reduce_all, weft_reduce_all_nb, to, call.part(of.argument("src", src)), of.count, of.reduction);
}

void prefix_reduce(const TeamCall& call, upcr_pts_t dst, upcr_pts_t src, const Elements& of) {
  char* const to = call.part(of.argument("dst", dst));
  call.run(weft_prefix, weft_prefix_nb, to, call.part(of.argument("src", src)), of.count, of.reduction);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

// ---- Making teams, members ----

upc_team_t upc_team_split(upc_team_t parent, int color, int key) {
  constexpr const char* function = "upc_team_split";
  const Calling calling(function);
  if (color < WEFT_NO_COLOR) fail({}, "%s: the colour is %d; it is at least 0, or UPC_TEAM_NO_COLOR", function, color);
  weft_team_t team = WEFT_TEAM_NONE;
  const int status = weft_team_split(parent, color, key, &team);
  return made(function, status, team);
}
upc_team_t upc_team_split_stride(upc_team_t parent, size_t count, size_t stride) {
  constexpr const char* function = "upc_team_split_stride";
  const Calling calling(function);
  check_stride(function, weft_team_size(parent), count, stride);
  weft_team_t team = WEFT_TEAM_NONE;
  const int status = weft_team_split_stride(parent, static_cast<uint32_t>(count), static_cast<uint32_t>(stride), &team);
  return made(function, status, team);
}
upc_team_t upc_team_from_list(upc_team_t parent, const unsigned int* members, size_t count) {
  constexpr const char* function = "upc_team_from_list";
  const Calling calling(function);
  check_list(function, weft_team_size(parent), members, count);
  weft_team_t team = WEFT_TEAM_NONE;
  const int status = weft_team_from_list(parent, members, static_cast<uint32_t>(count), &team);
  return made(function, status, team);
}
void upc_team_free(upc_team_t team) {
  const Calling calling("upc_team_free");
  (void)weft_team_free(team);
}

size_t upc_team_rank(upc_team_t team) {
  const Calling calling("upc_team_rank");
  return weft_team_rank(team);
}
size_t upc_team_size(upc_team_t team) {
  const Calling calling("upc_team_size");
  return weft_team_size(team);
}
size_t upc_team_thread(upc_team_t team, size_t member) {
  const Calling calling("upc_team_thread");
  if (member >= weft_team_size(team))
    fail({}, "upc_team_thread: there is no member %s in a team of %u", SizeText(member).text, weft_team_size(team));
  return weft_team_world_rank(team, static_cast<uint32_t>(member));
}
int upc_team_member(upc_team_t team, size_t thread) {
  const Calling calling("upc_team_member");
  const State& state = self();
  // A number that no thread has is no member's, but the team must be one.
  const weft_rank_t wanted = thread < state.threads ? static_cast<weft_rank_t>(thread) : state.threads;
  const uint32_t member = weft_team_member(team, wanted);
  return member == WEFT_NO_MEMBER ? -1 : static_cast<int>(member);
}

// ---- Synchronising ----

void upc_team_notify(upc_team_t team) {
  const Calling calling("upc_team_notify");
  enter(self(), "upc_team_notify");
  (void)weft_team_barrier_notify(team, 0, WEFT_BARRIER_ANONYMOUS);
}
void upc_team_wait(upc_team_t team) {
  const Calling calling("upc_team_wait");
  (void)weft_team_barrier_wait(team, 0, WEFT_BARRIER_ANONYMOUS);
  upcr_full_fence();
  see(&collective_key);
}
void upc_team_barrier(upc_team_t team) {
  upc_team_notify(team);
  upc_team_wait(team);
}

// ---- Collectives ----

#define WEFT_UPC_TEAM_MOVE(name)                                                                                 \
  void upc_team_##name(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) {              \
    name({"upc_team_" #name, team, flags, nullptr}, dst, src, nbytes);                                           \
  }                                                                                                              \
  upc_handle_t upc_team_##name##_nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) { \
    weft_handle_t handle = WEFT_HANDLE_DONE;                                                                     \
    name({"upc_team_" #name "_nb", team, flags, &handle}, dst, src, nbytes);                                     \
    note_handle(self(), "upc_team_" #name "_nb", handle);                                                        \
    return handle;                                                                                               \
  }
WEFT_UPC_TEAM_MOVE(broadcast)
WEFT_UPC_TEAM_MOVE(scatter)
WEFT_UPC_TEAM_MOVE(gather)
WEFT_UPC_TEAM_MOVE(gather_all)
WEFT_UPC_TEAM_MOVE(exchange)
#undef WEFT_UPC_TEAM_MOVE

void upc_team_permute(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t to, size_t nbytes, int flags) {
  permute({"upc_team_permute", team, flags, nullptr}, dst, src, to, nbytes);
}
upc_handle_t upc_team_permute_nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, size_t to, size_t nbytes, int flags) {
  weft_handle_t handle = WEFT_HANDLE_DONE;
  permute({"upc_team_permute_nb", team, flags, &handle}, dst, src, to, nbytes);
  note_handle(self(), "upc_team_permute_nb", handle);
  return handle;
}

#define WEFT_UPC_TEAM_REDUCTION(name)                                                                                 \
  void upc_team_##name(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, int op, int type, size_t nelems, int flags) { \
    const Elements elements{predefined_reduction("upc_team_" #name, type, op), nelems};                               \
    name({"upc_team_" #name, team, flags, nullptr}, dst, src, elements);                                              \
  }                                                                                                                   \
  upc_handle_t upc_team_##name##_nb(upc_team_t team, upcr_pts_t dst, upcr_pts_t src, int op, int type, size_t nelems, \
                                    int flags) {                                                                      \
    const Elements elements{predefined_reduction("upc_team_" #name "_nb", type, op), nelems};                         \
    weft_handle_t handle = WEFT_HANDLE_DONE;                                                                          \
    name({"upc_team_" #name "_nb", team, flags, &handle}, dst, src, elements);                                        \
    note_handle(self(), "upc_team_" #name "_nb", handle);                                                             \
    return handle;                                                                                                    \
  }
WEFT_UPC_TEAM_REDUCTION(reduce)
WEFT_UPC_TEAM_REDUCTION(reduce_all)
WEFT_UPC_TEAM_REDUCTION(prefix_reduce)
#undef WEFT_UPC_TEAM_REDUCTION

}  // extern "C"
