// Relocalization (<upc_collective.h>) by the library's collectives: a thread's part of the shared arguments is private
// memory of its own, and the synchronisation modes are the library's.
#include "upcrt/collective.hpp"

#include <upc/upc_types.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {

unsigned coll_flags(const char* function, int flags) {
  constexpr int all =
      UPC_IN_NOSYNC | UPC_IN_MYSYNC | UPC_IN_ALLSYNC | UPC_OUT_NOSYNC | UPC_OUT_MYSYNC | UPC_OUT_ALLSYNC;
  if ((flags & ~all) != 0)
    fail({},
         "%s: the flags are %#x; they are one of UPC_IN_NOSYNC, UPC_IN_MYSYNC, UPC_IN_ALLSYNC with one of "
         "UPC_OUT_NOSYNC, UPC_OUT_MYSYNC, UPC_OUT_ALLSYNC",
         function, static_cast<unsigned>(flags));
  const unsigned in = (flags & UPC_IN_ALLSYNC) != 0  ? WEFT_IN_ALLSYNC
                      : (flags & UPC_IN_MYSYNC) != 0 ? WEFT_IN_MYSYNC
                      : (flags & UPC_IN_NOSYNC) != 0 ? WEFT_IN_NOSYNC
                                                     : WEFT_IN_ALLSYNC;
  const unsigned out = (flags & UPC_OUT_ALLSYNC) != 0  ? WEFT_OUT_ALLSYNC
                       : (flags & UPC_OUT_MYSYNC) != 0 ? WEFT_OUT_MYSYNC
                       : (flags & UPC_OUT_NOSYNC) != 0 ? WEFT_OUT_NOSYNC
                                                       : WEFT_OUT_ALLSYNC;
  return in | out;
}

void enter(State& state, const char* function) {
  check_collective(state, function);
  state.puts.others_look();
  upcr_full_fence();
  let_see(&collective_key);
}

Synchronised::Synchronised(State& state, const char* function, int flags, uint64_t bytes)
    : calling_(function), state_(state), function_(function), bytes_(bytes), flags_(coll_flags(function, flags)) {
  enter(state, function);
  if ((flags_ & WEFT_IN_ALLSYNC) != 0) internal_barrier(state_, function_, bytes_, flags_);
}

Synchronised::~Synchronised() {
  if ((flags_ & WEFT_OUT_ALLSYNC) != 0) internal_barrier(state_, function_, bytes_, flags_);
  see(&collective_key);
}

uint64_t SharedArray::distance(uint64_t thread) const {
  const uint64_t start = upcr_thread(first);
  return thread >= start ? thread - start : thread + threads - start;
}

// In blocked arrays everything is counted from the start of the first block, `phase` elements before element 0.
uint64_t SharedArray::share(uint64_t thread) const {
  if (block == 0) return thread == upcr_thread(first) ? count : 0;
  const uint64_t d = distance(thread);
  const uint64_t whole = (count + upcr_phase(first)) / block;
  const uint64_t rest = (count + upcr_phase(first)) % block;
  const uint64_t last = whole % threads;
  const uint64_t counted = whole / threads * block + (last > d ? block : last == d ? rest : 0);
  return std::max(counted, skipped(thread)) - skipped(thread);
}

uint64_t SharedArray::offset(uint64_t thread) const {
  if (block == 0) return first.offset;
  // Threads below the first one's have their first block in the next row.
  const uint64_t row = first.offset - upcr_phase(first) * size + (thread < upcr_thread(first) ? block * size : 0);
  return row + skipped(thread) * size;
}

uint64_t SharedArray::rows() const {
  if (block == 0 || count == 0) return 1;
  const uint64_t blocks = (count + upcr_phase(first) + block - 1) / block;
  return (upcr_thread(first) + blocks + threads - 1) / threads;
}

SharedArray::Blocks SharedArray::blocks_of(uint64_t thread) const {
  const uint64_t all = share(thread);
  if (block == 0) return {all, all, 0, 0, all};
  return {all, block, thread < upcr_thread(first) ? uint64_t{1} : 0, 0, std::min(all, block - skipped(thread))};
}

SizeText::SizeText(size_t size) { std::snprintf(text, sizeof text, size > SIZE_MAX / 2 ? "%zd" : "%zu", size); }

namespace {

[[noreturn]] void refuse_size(const char* function, const char* name, size_t size, const char* argument) {
  fail({}, "%s: %s is %s, and %s would reach beyond the end of shared memory", function, name, SizeText(size).text,
       argument);
}

}  // namespace

void check_not_null(const char* function, const char* argument, upcr_pts_t p) {
  if (upcr_is_null(p)) fail({}, "%s: %s is a null pointer-to-shared", function, argument);
}

char* part(State& state, const char* function, const Argument& argument) {
  const upcr_pts_t p = argument.at;
  check_not_null(function, argument.name, p);
  const uint64_t end = state.layout.heap_end;
  if (p.offset > end || argument.size > (end - p.offset) / argument.pieces / argument.unit)
    refuse_size(function, argument.size_name, argument.size, argument.name);
  check_access(state, function, upcr_make(p.offset, state.me, 0), argument.size * argument.pieces * argument.unit, {});
  return own(state, p.offset);
}

void check_array(State& state, const char* function, const char* argument, const SharedArray& array) {
  check_not_null(function, argument, array.first);
  if (array.block > static_cast<uint64_t>(UPCR_MAX_BLOCK_SIZE))
    fail({}, "%s: blk_size is %s; it is from 0 to %" PRId64, function, SizeText(array.block).text, UPCR_MAX_BLOCK_SIZE);
  const uint64_t end = state.layout.heap_end;
  // No overflow below.
  if (array.count / array.threads > end / array.size) refuse_size(function, "nelems", array.count, argument);
  for (const uint64_t thread : {upcr_thread(array.first), uint64_t{state.me}}) {
    const uint64_t bytes = array.share(thread) * array.size;
    if (bytes > end || (bytes != 0 && array.offset(thread) > end - bytes))
      refuse_size(function, "nelems", array.count, argument);
  }
  check_access(state, function, upcr_make(array.offset(state.me), state.me, 0), array.share(state.me) * array.size, {});
}

namespace {

void check_zero(const State& state, const char* function, const char* argument, upcr_pts_t p) {
  check_not_null(function, argument, p);
  if (state.view.checked != 0 && upcr_thread(p) != 0)
    fail({}, "%s: %s must have affinity to thread 0, not %u", function, argument, thread_of(p));
}

// Which call of upc_all_permute it was, counted from 1, and who sent.
struct PermuteNote {
  static uint64_t encode(uint64_t call, weft_rank_t sender) { return call << UPCR_THREAD_BITS | sender; }
  static uint64_t call(uint64_t note) { return note >> UPCR_THREAD_BITS; }
  static weft_rank_t sender(uint64_t note) { return static_cast<weft_rank_t>(note & UPCR_THREAD_MASK); }
};

// The word before; 0 where that would cost as much as the data: over a network, unless WEFT_CHECK asks for it.
uint64_t leave_note(State& state, weft_rank_t to, uint64_t note) {
  const uint64_t offset = WEFT_UPCRT_CONTROL(state, permuted);
  if (state.view.checked != 0) return swap_word(state, to, offset, note);
  auto* word = reinterpret_cast<uint64_t*>(mapped(upcr_make(offset, to, 0)));
  return word == nullptr ? 0 : __atomic_exchange_n(word, note, __ATOMIC_RELAXED);
}

// Two threads that send to a third would leave one without a sender, waiting for ever. Each leaves a note with the
// receiver. Notes of threads that are ahead hide others': what is refused is wrong, not the reverse.
void check_permutation(State& state, const char* function, weft_rank_t to) {
  const uint64_t call = ++state.permutes;
  const uint64_t before = leave_note(state, to, PermuteNote::encode(call, state.me));
  if (PermuteNote::call(before) == call)
    fail({}, "%s: perm[%u] and perm[%u] are both %u; each thread must be there once", function,
         std::min(state.me, PermuteNote::sender(before)), std::max(state.me, PermuteNote::sender(before)), to);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upc_all_broadcast(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) {
  constexpr const char* function = "upc_all_broadcast";
  State& state = self();
  check_zero(state, function, "dst", dst);
  const Synchronised sync(state, function, flags, nbytes);
  char* const to = part(state, function, {"dst", dst, nbytes});
  const char* const from = state.me == upcr_thread(src) ? part(state, function, {"src", src, nbytes}) : nullptr;
  (void)weft_broadcast(WEFT_TEAM_WORLD, to, from, nbytes, thread_of(src), sync.flags());
}

void upc_all_scatter(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) {
  constexpr const char* function = "upc_all_scatter";
  State& state = self();
  check_zero(state, function, "dst", dst);
  const Synchronised sync(state, function, flags, nbytes);
  char* const to = part(state, function, {"dst", dst, nbytes});
  const char* const from =
      state.me == upcr_thread(src) ? part(state, function, {"src", src, nbytes, state.threads}) : nullptr;
  (void)weft_scatter(WEFT_TEAM_WORLD, to, from, nbytes, thread_of(src), sync.flags());
}

void upc_all_gather(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) {
  constexpr const char* function = "upc_all_gather";
  State& state = self();
  check_zero(state, function, "src", src);
  const Synchronised sync(state, function, flags, nbytes);
  char* const to = state.me == upcr_thread(dst) ? part(state, function, {"dst", dst, nbytes, state.threads}) : nullptr;
  const char* const from = part(state, function, {"src", src, nbytes});
  (void)weft_gather(WEFT_TEAM_WORLD, to, from, nbytes, thread_of(dst), sync.flags());
}

void upc_all_gather_all(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) {
  constexpr const char* function = "upc_all_gather_all";
  State& state = self();
  check_zero(state, function, "dst", dst);
  check_zero(state, function, "src", src);
  const Synchronised sync(state, function, flags, nbytes);
  char* const to = part(state, function, {"dst", dst, nbytes, state.threads});
  const char* const from = part(state, function, {"src", src, nbytes});
  (void)weft_gather_all(WEFT_TEAM_WORLD, to, from, nbytes, sync.flags());
}

void upc_all_exchange(upcr_pts_t dst, upcr_pts_t src, size_t nbytes, int flags) {
  constexpr const char* function = "upc_all_exchange";
  State& state = self();
  check_zero(state, function, "dst", dst);
  check_zero(state, function, "src", src);
  const Synchronised sync(state, function, flags, nbytes);
  char* const to = part(state, function, {"dst", dst, nbytes, state.threads});
  const char* const from = part(state, function, {"src", src, nbytes, state.threads});
  (void)weft_exchange(WEFT_TEAM_WORLD, to, from, nbytes, sync.flags());
}

void upc_all_permute(upcr_pts_t dst, upcr_pts_t src, upcr_pts_t perm, size_t nbytes, int flags) {
  constexpr const char* function = "upc_all_permute";
  State& state = self();
  check_zero(state, function, "dst", dst);
  check_zero(state, function, "src", src);
  check_zero(state, function, "perm", perm);
  const Synchronised sync(state, function, flags, nbytes);
  const int receiver = *reinterpret_cast<const int*>(part(state, function, {"perm", perm, sizeof(int)}));
  if (receiver < 0 || static_cast<weft_rank_t>(receiver) >= state.threads)
    fail({}, "%s: perm[%u] is %d; it must be from 0 to %u", function, state.me, receiver, state.threads - 1);
  const auto to = static_cast<weft_rank_t>(receiver);
  check_permutation(state, function, to);
  char* const mine = part(state, function, {"dst", dst, nbytes});
  const char* const from = part(state, function, {"src", src, nbytes});
  (void)weft_permute(WEFT_TEAM_WORLD, mine, from, nbytes, to, sync.flags());
}

}  // extern "C"
