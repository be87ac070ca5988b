// Functions on pointers-to-shared and threads: <upc.h> 7.2.3, <upc_castable.h>, <bupc.h>. Time: <upc_tick.h>.
#include <sched.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "upcrt/runtime.hpp"
#include "weft/segment.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"
#include "weft/upcrt/library.h"

using namespace weft::upcrt;

namespace {

// All regions of <upc_castable.h>.
constexpr int castable_all = 0xf;

bool is_mapped(weft_rank_t thread) { return weft_pointer(thread, 0) != nullptr; }

}  // namespace

extern "C" {

size_t upc_threadof(upcr_pts_t p) { return upcr_threadof(p); }
size_t upc_phaseof(upcr_pts_t p) { return upcr_phaseof(p); }
size_t upc_addrfield(upcr_pts_t p) { return upcr_addrfield(p); }
upcr_pts_t upc_resetphase(upcr_pts_t p) { return upcr_resetphase(p); }

size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t thread) {
  const uint64_t threads = self().threads;
  if (nbytes == 0) return thread == 0 ? totalsize : 0;
  const size_t blocks = totalsize / nbytes;
  const size_t last = blocks % threads;
  const size_t whole = blocks / threads * nbytes;
  return whole + (thread < last ? nbytes : thread == last ? totalsize % nbytes : 0);
}

// ---- <upc_castable.h> ----

void* upc_cast(upcr_pts_t p) {
  State& state = self();
  if (upcr_is_null(p) || thread_of(p) >= state.threads) return nullptr;
  return mapped(p);
}

upc_thread_info_t upc_thread_info(size_t thread) {
  State& state = self();
  if (thread >= state.threads)
    fail({}, "upc_thread_info: there is no thread %zu; threads are 0 to %u", thread, state.threads - 1);
  const int regions = is_mapped(static_cast<weft_rank_t>(thread)) ? castable_all : 0;
  return {regions, regions};
}

// ---- <bupc.h> ----

void* bupc_cast(upcr_pts_t p) { return upc_cast(p); }
int bupc_castable(upcr_pts_t p) { return upcr_is_null(p) || upc_cast(p) != nullptr; }
int bupc_thread_castable(unsigned int thread) { return upc_thread_info(thread).guaranteedCastable != 0 ? 1 : 0; }

// Same thread 0, memory mapped here 1, another host 3.
unsigned int bupc_thread_distance(int x, int y) {
  State& state = self();
  for (const int thread : {x, y})
    if (thread < 0 || static_cast<weft_rank_t>(thread) >= state.threads)
      fail({}, "bupc_thread_distance: there is no thread %d; threads are 0 to %u", thread, state.threads - 1);
  if (x == y) return 0;
  return is_mapped(static_cast<weft_rank_t>(x)) && is_mapped(static_cast<weft_rank_t>(y)) ? 1 : 3;
}

// A loop of polls that waits for private memory, too, lets the thread run that it waits for.
void bupc_poll(void) {
  State& state = self();
  (void)weft_poll();
  if ((++state.polls & 1023) == 0) sched_yield();
}

upcr_pts_t bupc_ptradd(upcr_pts_t p, size_t blockelems, size_t elemsz, ptrdiff_t elems) {
  (void)self();
  return upcr_add(p, elems, blockelems, elemsz);
}

upcr_pts_t bupc_local_to_shared(void* pointer, int thread, int phase) {
  State& state = self();
  if (pointer == nullptr) return upcr_null();
  if (thread < 0 || static_cast<weft_rank_t>(thread) >= state.threads)
    fail({}, "bupc_local_to_shared: there is no thread %d; threads are 0 to %u", thread, state.threads - 1);
  const auto* base = static_cast<const char*>(weft_pointer(static_cast<weft_rank_t>(thread), 0));
  const auto offset = static_cast<uint64_t>(static_cast<const char*>(pointer) - base);
  if (base == nullptr || offset >= weft_segment_size())
    fail({}, "bupc_local_to_shared: %p does not point into the shared memory of thread %d as it is mapped here",
         pointer, thread);
  return upcr_make(offset, static_cast<uint64_t>(thread), static_cast<uint64_t>(phase));
}

// Null if the pointer points into no shared memory that is mapped here.
upcr_pts_t bupc_inverse_cast(void* pointer) {
  State& state = self();
  for (weft_rank_t thread = 0; thread < state.threads; ++thread) {
    const auto* base = static_cast<const char*>(weft_pointer(thread, 0));
    if (base == nullptr || pointer == nullptr) continue;
    const auto offset = reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(base);
    if (offset < weft_segment_size()) return upcr_make(offset, thread, 0);
  }
  return upcr_null();
}

// The number of characters, or -1 if the buffer is too small.
int bupc_dump_shared(upcr_pts_t p, char* buffer, int maxlen) {
  constexpr int shortest = 100;  // BUPC_DUMP_MIN_LENGTH
  if (maxlen < shortest) {
    errno = EINVAL;
    return -1;
  }
  if (upcr_is_null(p)) {
    std::snprintf(buffer, static_cast<size_t>(maxlen), "<NULL>");
  } else {
    std::snprintf(buffer, static_cast<size_t>(maxlen), "<address=%#" PRIx64 " thread=%u phase=%" PRIu64 ">", p.offset,
                  thread_of(p), upcr_phase(p));
  }
  return 0;
}

// The launcher gives all threads the same environment.
char* bupc_getenv(const char* name) { return std::getenv(name); }

// ---- <upc_tick.h>: a tick is a nanosecond ----

uint64_t upc_ticks_now(void) { return weft_time_ns(); }
uint64_t upc_ticks_to_ns(uint64_t ticks) { return ticks; }
uint64_t bupc_ticks_now(void) { return upc_ticks_now(); }
uint64_t bupc_ticks_to_us(uint64_t ticks) { return ticks / 1000; }
uint64_t bupc_ticks_to_ns(uint64_t ticks) { return ticks; }

double bupc_tick_granularity(void) {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return static_cast<double>(resolution.tv_sec) * 1e6 + static_cast<double>(resolution.tv_nsec) * 1e-3;
}

// Measured when first asked for.
double bupc_tick_overhead(void) {
  static const double overhead = [] {
    constexpr int calls = 1000;
    const uint64_t start = upc_ticks_now();
    for (int i = 0; i < calls; ++i) (void)upc_ticks_now();
    return static_cast<double>(upc_ticks_now() - start) / calls * 1e-3;
  }();
  return overhead;
}

}  // extern "C"
