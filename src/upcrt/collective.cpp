// Relocalization (<upc_collective.h>): every thread moves its own part with one-sided copies, between the barriers that
// the synchronisation mode asks for. Threads start at different peers, so that nobody is everybody's first.
#include "upcrt/collective.hpp"

#include <upc/upc_types.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {

Sync in_sync(int flags) {
  if ((flags & UPC_IN_ALLSYNC) != 0) return Sync::all;
  if ((flags & UPC_IN_MYSYNC) != 0) return Sync::mine;
  return (flags & UPC_IN_NOSYNC) != 0 ? Sync::none : Sync::all;
}

Sync out_sync(int flags) {
  if ((flags & UPC_OUT_ALLSYNC) != 0) return Sync::all;
  if ((flags & UPC_OUT_MYSYNC) != 0) return Sync::mine;
  return (flags & UPC_OUT_NOSYNC) != 0 ? Sync::none : Sync::all;
}

void enter(State& state, const char* function, Sync sync) {
  check_collective(state, function);
  state.puts.others_look();
  upcr_full_fence();
  if (sync != Sync::none) internal_barrier();
}

void leave(Sync sync) {
  if (sync != Sync::none) internal_barrier();
  upcr_full_fence();
}

uint64_t SharedArray::distance(uint64_t thread) const {
  const uint64_t start = upcr_thread(first);
  return thread >= start ? thread - start : thread + threads - start;
}

// In blocked arrays everything is counted from the start of the first block, `phase` elements before element 0.
uint64_t SharedArray::position(uint64_t thread, uint64_t index) const {
  if (block == 0) return thread == upcr_thread(first) ? index : 0;
  const uint64_t d = distance(thread);
  const uint64_t phase = upcr_phase(first);
  const uint64_t whole = (index + phase) / block;
  const uint64_t rest = (index + phase) % block;
  const uint64_t last = whole % threads;
  const uint64_t counted = whole / threads * block + (last > d ? block : last == d ? rest : 0);
  return d == 0 ? std::max(counted, phase) - phase : counted;
}

uint64_t SharedArray::offset(uint64_t thread, uint64_t at) const {
  if (block == 0) return first.offset + at * size;
  const uint64_t d = distance(thread);
  // Threads below the first one's have their first block in the next row.
  const uint64_t row = first.offset - upcr_phase(first) * size + (thread < upcr_thread(first) ? block * size : 0);
  return row + (at + (d == 0 ? upcr_phase(first) : 0)) * size;
}

uint64_t SharedArray::index(uint64_t thread, uint64_t at, uint64_t& run) const {
  if (block == 0) {
    run = count - at;
    return at;
  }
  const uint64_t d = distance(thread);
  const uint64_t v = at + (d == 0 ? upcr_phase(first) : 0);
  run = block - v % block;
  return (v / block * threads + d) * block + v % block - upcr_phase(first);
}

uint64_t SharedArray::blocks() const {
  if (block == 0 || count == 0) return count == 0 ? 0 : 1;
  return (count + upcr_phase(first) + block - 1) / block;
}

namespace {

// Calls visit(thread, offset of the part, position of the part, elements in it) for each thread that has some of
// [begin, end), starting with the one after `me`.
template <class Visit>
void for_each_part(const SharedArray& array, uint64_t begin, uint64_t end, weft_rank_t me, Visit visit) {
  for (uint64_t i = 1; i <= array.threads; ++i) {
    const uint64_t thread = (me + i) % array.threads;
    const uint64_t low = array.position(thread, begin);
    const uint64_t high = array.position(thread, end);
    if (high > low) visit(static_cast<weft_rank_t>(thread), array.offset(thread, low), low, high - low);
  }
}

// Calls copy(element in the private buffer, element in the part, run) for the runs of one thread's part.
template <class Copy>
void for_each_run(const SharedArray& array, weft_rank_t thread, uint64_t begin, uint64_t low, uint64_t elements,
                  Copy copy) {
  for (uint64_t done = 0; done < elements;) {
    uint64_t run = 0;
    const uint64_t index = array.index(thread, low + done, run);
    run = std::min(run, elements - done);
    copy(index - begin, done, run);
    done += run;
  }
}

}  // namespace

void SharedArray::read(uint64_t begin, uint64_t end, void* to, weft_rank_t me) const {
  auto* out = static_cast<char*>(to);
  const auto part = std::make_unique_for_overwrite<char[]>((end - begin) * size);
  for_each_part(*this, begin, end, me, [&](weft_rank_t thread, uint64_t at, uint64_t low, uint64_t elements) {
    (void)weft_get(part.get(), thread, at, elements * size);
    for_each_run(*this, thread, begin, low, elements, [&](uint64_t there, uint64_t here, uint64_t run) {
      std::memcpy(out + there * size, part.get() + here * size, run * size);
    });
  });
}

void SharedArray::write(uint64_t begin, uint64_t end, const void* from, weft_rank_t me) const {
  const auto* in = static_cast<const char*>(from);
  const auto part = std::make_unique_for_overwrite<char[]>((end - begin) * size);
  for_each_part(*this, begin, end, me, [&](weft_rank_t thread, uint64_t at, uint64_t low, uint64_t elements) {
    for_each_run(*this, thread, begin, low, elements, [&](uint64_t there, uint64_t here, uint64_t run) {
      std::memcpy(part.get() + here * size, in + there * size, run * size);
    });
    (void)weft_put(thread, at, part.get(), elements * size);
  });
}

// The banks alternate. A thread writes a bank again two calls later, after the barrier of the call between, which the
// readers of this call enter only when they have read.
uint64_t gather_partials(State& state, const void* partial, size_t size, uint64_t place, weft_rank_t root) {
  const uint64_t bank = state.layout.partials + (state.reductions++ & 1) * 16 * state.threads;
  if (partial != nullptr) (void)weft_put(root, bank + place * 16, partial, size);
  internal_barrier();
  return bank;
}

namespace {

void check_zero(const char* function, const char* argument, upcr_pts p) {
  if (self().view.checked != 0 && upcr_thread(p) != 0)
    fail({}, "%s: %s must have affinity to thread 0, not %u", function, argument, thread_of(p));
}

// A collective that moves: barriers around `move`.
template <class Move>
void relocalize(const char* function, int flags, Move move) {
  State& state = self();
  enter(state, function, in_sync(flags));
  move(state);
  leave(out_sync(flags));
}

upcr_pts on(uint64_t thread, uint64_t offset) { return upcr_make(offset, thread, 0); }

void move_block(State& state, const char* function, upcr_pts to, upcr_pts from, size_t size) {
  check_access(state, function, from, size, {});
  check_access(state, function, to, size, {});
  copy_shared(state, to, from, size);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upc_all_broadcast(upcr_pts dst, upcr_pts src, size_t nbytes, int flags) {
  check_zero("upc_all_broadcast", "dst", dst);
  relocalize("upc_all_broadcast", flags,
             [=](State& state) { move_block(state, "upc_all_broadcast", on(state.me, dst.offset), src, nbytes); });
}

void upc_all_scatter(upcr_pts dst, upcr_pts src, size_t nbytes, int flags) {
  check_zero("upc_all_scatter", "dst", dst);
  relocalize("upc_all_scatter", flags, [=](State& state) {
    move_block(state, "upc_all_scatter", on(state.me, dst.offset), on(upcr_thread(src), src.offset + state.me * nbytes),
               nbytes);
  });
}

void upc_all_gather(upcr_pts dst, upcr_pts src, size_t nbytes, int flags) {
  check_zero("upc_all_gather", "src", src);
  relocalize("upc_all_gather", flags, [=](State& state) {
    move_block(state, "upc_all_gather", on(upcr_thread(dst), dst.offset + state.me * nbytes), on(state.me, src.offset),
               nbytes);
  });
}

void upc_all_gather_all(upcr_pts dst, upcr_pts src, size_t nbytes, int flags) {
  check_zero("upc_all_gather_all", "dst", dst);
  check_zero("upc_all_gather_all", "src", src);
  relocalize("upc_all_gather_all", flags, [=](State& state) {
    for (weft_rank_t i = 1; i <= state.threads; ++i) {
      const weft_rank_t from = (state.me + i) % state.threads;
      move_block(state, "upc_all_gather_all", on(state.me, dst.offset + from * nbytes), on(from, src.offset), nbytes);
    }
  });
}

void upc_all_exchange(upcr_pts dst, upcr_pts src, size_t nbytes, int flags) {
  check_zero("upc_all_exchange", "dst", dst);
  check_zero("upc_all_exchange", "src", src);
  relocalize("upc_all_exchange", flags, [=](State& state) {
    for (weft_rank_t i = 1; i <= state.threads; ++i) {
      const weft_rank_t to = (state.me + i) % state.threads;
      move_block(state, "upc_all_exchange", on(to, dst.offset + state.me * nbytes),
                 on(state.me, src.offset + to * nbytes), nbytes);
    }
  });
}

void upc_all_permute(upcr_pts dst, upcr_pts src, upcr_pts perm, size_t nbytes, int flags) {
  check_zero("upc_all_permute", "dst", dst);
  check_zero("upc_all_permute", "src", src);
  relocalize("upc_all_permute", flags, [=](State& state) {
    int to = 0;  // perm[i] has affinity to thread i
    (void)weft_get(&to, state.me, perm.offset, sizeof to);
    if (to < 0 || static_cast<weft_rank_t>(to) >= state.threads)
      fail({}, "upc_all_permute: perm[%u] is %d; it must be from 0 to %u", state.me, to, state.threads - 1);
    move_block(state, "upc_all_permute", on(static_cast<uint64_t>(to), dst.offset), on(state.me, src.offset), nbytes);
  });
}

}  // extern "C"
