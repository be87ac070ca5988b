// Teams and their collectives (<upc_team.h>): the library's, on a member's part of shared memory.
#include "weft/team.h"

#include "upcrt/collective.hpp"
#include "upcrt/reduce_ops.hpp"
#include "weft/barrier.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

constexpr size_t type_sizes[] = {4, 4, 8, 8, 4, 8, 1, 1, 2, 2, sizeof(long double)};  // by weft_type

weft_team made(const char* function, int status, weft_team team) {
  if (status == WEFT_ERR_MISMATCH) fail({}, "%s: the members of the parent call it with different lists", function);
  if (status == WEFT_ERR_NO_MEMORY)
    fail({}, "%s: no room in the segment for the team; raise WEFT_SEGMENT_SIZE", function);
  if (status != WEFT_OK) fail({}, "%s: the arguments make no team of the parent's members", function);
  return team;
}

// One collective of the caller: its parts of shared memory, and its flags.
class TeamCall {
 public:
  TeamCall(const char* function, weft_team team, int flags, weft_handle* handle)
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
  uint32_t root(upcr_pts p) const {
    const uint32_t member = weft_team_member(team_, thread_of(p));
    if (member == WEFT_NO_MEMBER) fail({}, "%s: the root, thread %u, is not in the team", function_, thread_of(p));
    return member;
  }
  bool has_root(upcr_pts p) const { return upcr_thread(p) == state_.me; }
  char* part(upcr_pts p, size_t size) const {
    check_access(state_, function_, upcr_make(p.offset, state_.me, 0), size, {});
    return own(state_, p.offset);
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
  weft_team team_;
  uint32_t members_;
  unsigned flags_;
  weft_handle* handle_;
};

void broadcast(const TeamCall& call, upcr_pts dst, upcr_pts src, size_t size) {
  const char* const from = call.has_root(src) ? call.part(src, size) : nullptr;
  call.run(weft_broadcast, weft_broadcast_nb, call.part(dst, size), from, size, call.root(src));
}

void scatter(const TeamCall& call, upcr_pts dst, upcr_pts src, size_t size) {
  const char* const from = call.has_root(src) ? call.part(src, size * call.members()) : nullptr;
  call.run(weft_scatter, weft_scatter_nb, call.part(dst, size), from, size, call.root(src));
}

void gather(const TeamCall& call, upcr_pts dst, upcr_pts src, size_t size) {
  char* const to = call.has_root(dst) ? call.part(dst, size * call.members()) : nullptr;
  call.run(weft_gather, weft_gather_nb, to, call.part(src, size), size, call.root(dst));
}

void gather_all(const TeamCall& call, upcr_pts dst, upcr_pts src, size_t size) {
  call.run(weft_gather_all, weft_gather_all_nb, call.part(dst, size * call.members()), call.part(src, size), size);
}

void exchange(const TeamCall& call, upcr_pts dst, upcr_pts src, size_t size) {
  const size_t all = size * call.members();
  call.run(weft_exchange, weft_exchange_nb, call.part(dst, all), call.part(src, all), size);
}

void permute(const TeamCall& call, upcr_pts dst, upcr_pts src, size_t to, size_t size) {
  call.run(weft_permute, weft_permute_nb, call.part(dst, size), call.part(src, size), size, static_cast<uint32_t>(to));
}

struct Elements {
  weft_reduction reduction;
  size_t count;
  size_t bytes() const { return count * type_sizes[reduction.type]; }
};

void reduce(const TeamCall& call, upcr_pts dst, upcr_pts src, const Elements& of) {
  char* const to = call.has_root(dst) ? call.part(dst, of.bytes()) : nullptr;
  call.run(weft_reduce, weft_reduce_nb, to, call.part(src, of.bytes()), of.count, of.reduction, call.root(dst));
}

void reduce_all(const TeamCall& call, upcr_pts dst, upcr_pts src, const Elements& of) {
  call.run(weft_reduce_all, weft_reduce_all_nb, call.part(dst, of.bytes()), call.part(src, of.bytes()), of.count,
           of.reduction);
}

void prefix_reduce(const TeamCall& call, upcr_pts dst, upcr_pts src, const Elements& of) {
  call.run(weft_prefix, weft_prefix_nb, call.part(dst, of.bytes()), call.part(src, of.bytes()), of.count, of.reduction);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

// ---- Making teams, members ----

upc_team_t upc_team_split(upc_team_t parent, int color, int key) {
  const Calling calling("upc_team_split");
  weft_team team = WEFT_TEAM_NONE;
  const int status = weft_team_split(parent, color, key, &team);
  return made("upc_team_split", status, team);
}
upc_team_t upc_team_split_stride(upc_team_t parent, size_t count, size_t stride) {
  const Calling calling("upc_team_split_stride");
  weft_team team = WEFT_TEAM_NONE;
  const int status = weft_team_split_stride(parent, static_cast<uint32_t>(count), static_cast<uint32_t>(stride), &team);
  return made("upc_team_split_stride", status, team);
}
upc_team_t upc_team_from_list(upc_team_t parent, const unsigned int* members, size_t count) {
  const Calling calling("upc_team_from_list");
  weft_team team = WEFT_TEAM_NONE;
  const int status = weft_team_from_list(parent, members, static_cast<uint32_t>(count), &team);
  return made("upc_team_from_list", status, team);
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
    fail({}, "upc_team_thread: there is no member %zu in a team of %u", member, weft_team_size(team));
  return weft_team_world_rank(team, static_cast<uint32_t>(member));
}
int upc_team_member(upc_team_t team, size_t thread) {
  const Calling calling("upc_team_member");
  const uint32_t member = weft_team_member(team, static_cast<weft_rank_t>(thread));
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

#define WEFT_UPC_TEAM_MOVE(name)                                                                             \
  void upc_team_##name(upc_team_t team, upcr_pts dst, upcr_pts src, size_t nbytes, int flags) {              \
    name({"upc_team_" #name, team, flags, nullptr}, dst, src, nbytes);                                       \
  }                                                                                                          \
  upc_handle_t upc_team_##name##_nb(upc_team_t team, upcr_pts dst, upcr_pts src, size_t nbytes, int flags) { \
    weft_handle handle = WEFT_HANDLE_DONE;                                                                   \
    name({"upc_team_" #name "_nb", team, flags, &handle}, dst, src, nbytes);                                 \
    return handle;                                                                                           \
  }
WEFT_UPC_TEAM_MOVE(broadcast)
WEFT_UPC_TEAM_MOVE(scatter)
WEFT_UPC_TEAM_MOVE(gather)
WEFT_UPC_TEAM_MOVE(gather_all)
WEFT_UPC_TEAM_MOVE(exchange)
#undef WEFT_UPC_TEAM_MOVE

void upc_team_permute(upc_team_t team, upcr_pts dst, upcr_pts src, size_t to, size_t nbytes, int flags) {
  permute({"upc_team_permute", team, flags, nullptr}, dst, src, to, nbytes);
}
upc_handle_t upc_team_permute_nb(upc_team_t team, upcr_pts dst, upcr_pts src, size_t to, size_t nbytes, int flags) {
  weft_handle handle = WEFT_HANDLE_DONE;
  permute({"upc_team_permute_nb", team, flags, &handle}, dst, src, to, nbytes);
  return handle;
}

#define WEFT_UPC_TEAM_REDUCTION(name)                                                                             \
  void upc_team_##name(upc_team_t team, upcr_pts dst, upcr_pts src, int op, int type, size_t nelems, int flags) { \
    const Elements elements{predefined_reduction("upc_team_" #name, type, op), nelems};                           \
    name({"upc_team_" #name, team, flags, nullptr}, dst, src, elements);                                          \
  }                                                                                                               \
  upc_handle_t upc_team_##name##_nb(upc_team_t team, upcr_pts dst, upcr_pts src, int op, int type, size_t nelems, \
                                    int flags) {                                                                  \
    const Elements elements{predefined_reduction("upc_team_" #name "_nb", type, op), nelems};                     \
    weft_handle handle = WEFT_HANDLE_DONE;                                                                        \
    name({"upc_team_" #name "_nb", team, flags, &handle}, dst, src, elements);                                    \
    return handle;                                                                                                \
  }
WEFT_UPC_TEAM_REDUCTION(reduce)
WEFT_UPC_TEAM_REDUCTION(reduce_all)
WEFT_UPC_TEAM_REDUCTION(prefix_reduce)
#undef WEFT_UPC_TEAM_REDUCTION

}  // extern "C"
