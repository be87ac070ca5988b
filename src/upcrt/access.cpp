// Shared accesses that the inline code does not do itself: to memory that is not mapped here, and every access when
// something wants to see it (WEFT_CHECK, WEFT_STATS, WEFT_TRACE).
#include "weft/upcrt/access.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <memory>

#include "upcrt/places.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/shadow_loops.hpp"
#include "upcrt/windows.hpp"
#include "weft/segment.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

enum Shadow : unsigned char { never = 0, live = 1, freed = 2 };

// The first granule of [offset, offset + size) of the heap that is not live, or `live` if all are.
unsigned char heap_state(const State& state, weft_rank_t thread, uint64_t offset, uint64_t size) {
  uint64_t at = (offset - state.layout.heap) / Arena::granule;
  const uint64_t last = (offset + size - 1 - state.layout.heap) / Arena::granule;
  std::array<unsigned char, 4096> bytes;
  while (at <= last) {
    const size_t count = std::min<uint64_t>(last - at + 1, bytes.size());
    (void)weft_get(bytes.data(), thread, state.layout.shadow + at, count);
    const auto found = std::find_if(bytes.begin(), bytes.begin() + count, [](unsigned char b) { return b != live; });
    if (found != bytes.begin() + count) return *found;
    at += count;
  }
  return live;
}

}  // namespace

void check_access(State& state, const char* what, upcr_pts_t p, size_t size, Place place) {
  if (size == 0) return;
  // What the library may say about the access is about this place.
  if (place.file != nullptr) upcr_place(place.file, place.line);
  if (place_counts != nullptr && mapped(p) == nullptr) count_message(size);
  if (upcr_is_null(p))
    fail(place,
         "%s through a null pointer-to-shared; a pointer variable is each thread's own: all get what upc_all_alloc "
         "returns, or one sets a pointer that is declared shared, as 'shared T *shared p'",
         what);
  const weft_rank_t thread = thread_of(p);
  // Nothing of a program lies in the first bytes of a segment: p->member and p[i] of a null p come here, and what is
  // before the first static object.
  if (p.offset < UPCR_STATIC_BASE)
    fail(place,
         "%s through a null pointer-to-shared plus %" PRIu64 " bytes, or %" PRIu64
         " bytes before the first shared object",
         what, p.offset, UPCR_STATIC_BASE - p.offset);
  if (state.layout.shadow == 0) return;
  const uint64_t end = p.offset + size;
  if (thread < state.threads && end >= p.offset) {
    if (p.offset >= UPCR_STATIC_BASE && end <= state.layout.static_end) return;
    if (p.offset >= state.layout.heap && end <= state.layout.heap_end) {
      const unsigned char found = heap_state(state, thread, p.offset, size);
      if (found == live) return;
      if (found == freed)
        fail(place, "%s of %zu bytes at thread %u, offset %#" PRIx64 ": the memory has been freed", what, size, thread,
             p.offset);
    }
  }
  fail(place, "%s of %zu bytes at thread %u, offset %#" PRIx64 ": no shared object is there", what, size, thread,
       p.offset);
}

void check_argument(State& state, const char* function, const char* argument, upcr_pts_t p, size_t size, Place place) {
  if (size != 0 && upcr_is_null(p)) fail(place, "%s: %s is a null pointer-to-shared", function, argument);
  check_access(state, function, p, size, place);
}

void check_copy(State& state, const char* function, upcr_pts_t to, upcr_pts_t from, size_t size, Place place) {
  check_argument(state, function, "src", from, size, place);
  check_argument(state, function, "dst", to, size, place);
  if (state.view.checked == 0 || upcr_thread(to) != upcr_thread(from) || to.offset == from.offset) return;
  if (to.offset < from.offset + size && from.offset < to.offset + size)
    fail(place, "%s: src and dst overlap: %zu bytes at offsets %#" PRIx64 " and %#" PRIx64 " of thread %u", function,
         size, from.offset, to.offset, thread_of(to));
}

void give_way() {
  (void)weft_poll();
  sched_yield();
}

char* mapped(upcr_pts_t p) { return static_cast<char*>(weft_pointer(thread_of(p), p.offset)); }

void copy_shared(upcr_pts_t to, upcr_pts_t from, size_t size) {
  if (upcr_equal(to, from)) return;
  if (const char* source = mapped(from)) {
    (void)weft_put(thread_of(to), to.offset, source, size);
    return;
  }
  if (char* destination = mapped(to)) {
    (void)weft_get(destination, thread_of(from), from.offset, size);
    return;
  }
  // From one thread's memory to another's, neither mapped here: through a buffer.
  const size_t piece = std::min<size_t>(size, size_t{1} << 20);
  const auto buffer = std::make_unique_for_overwrite<char[]>(piece);
  for (size_t done = 0; done < size; done += piece) {
    const size_t now = std::min(piece, size - done);
    (void)weft_get(buffer.get(), thread_of(from), from.offset + done, now);
    (void)weft_put(thread_of(to), to.offset + done, buffer.get(), now);
  }
}

}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

void upcr_get_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) {
  if (!read_kept(to, from, size)) {
    check_access(self_of_access(), "a read", from, size, {file, line});
    if (mapped(from) != nullptr || !read_and_keep(to, from, size))
      (void)weft_get(to, thread_of(from), from.offset, size);
  }
  if (innermost_windows != nullptr) see_through_windows(to, from, size);
  if (shadow_memory != nullptr) shadow_read(from, to, size, {file, line});
}

void upcr_put_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) {
  check_access(self_of_access(), "a write", to, size, {file, line});
  (void)weft_put(thread_of(to), to.offset, from, size);
  change_kept(to, from, size);
  if (innermost_windows != nullptr) show_windows(to, from, size);
  if (shadow_memory != nullptr) shadow_written(to, from, size, {file, line});
}

void upcr_get_strict_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) {
  State& state = self();
  check_access(state, "a strict read", from, size, {file, line});
  if (const char* source = mapped(from)) {
    upcr_strict_read(to, source, size);
    return;
  }
  upcr_full_fence();
  (void)weft_get(to, thread_of(from), from.offset, size);
  upcr_full_fence();
  upcr_progress();
}

void upcr_put_strict_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) {
  State& state = self();
  check_access(state, "a strict write", to, size, {file, line});
  if (char* destination = mapped(to)) {
    upcr_strict_write(destination, from, size);
    return;
  }
  upcr_full_fence();
  (void)weft_put(thread_of(to), to.offset, from, size);
  upcr_full_fence();
}

void upcr_copy_slow(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) {
  State& state = self();
  check_access(state, "a read", from, size, {file, line});
  check_access(state, "a write", to, size, {file, line});
  if (size == 0) return;
  if (innermost_windows == nullptr && shadow_memory == nullptr) return copy_shared(to, from, size);
  const auto buffer = std::make_unique_for_overwrite<char[]>(size);
  upcr_get_slow(buffer.get(), from, size, file, line);
  upcr_put_slow(to, buffer.get(), size, file, line);
}

void upcr_memget_slow(void* to, upcr_pts_t from, size_t size, const char* file, int line) {
  const Calling calling("upc_memget", {file, line});
  check_argument(self(), "upc_memget", "src", from, size, {file, line});
  if (size != 0) (void)weft_get(to, thread_of(from), from.offset, size);
}

void upcr_memput_slow(upcr_pts_t to, const void* from, size_t size, const char* file, int line) {
  const Calling calling("upc_memput", {file, line});
  check_argument(self(), "upc_memput", "dst", to, size, {file, line});
  if (size != 0) (void)weft_put(thread_of(to), to.offset, from, size);
}

void upcr_memcpy_slow(upcr_pts_t to, upcr_pts_t from, size_t size, const char* file, int line) {
  const Calling calling("upc_memcpy", {file, line});
  check_copy(self(), "upc_memcpy", to, from, size, {file, line});
  if (size != 0) copy_shared(to, from, size);
}

void upcr_memset_slow(upcr_pts_t to, int byte, size_t size, const char* file, int line) {
  const Calling calling("upc_memset", {file, line});
  check_argument(self(), "upc_memset", "dst", to, size, {file, line});
  if (size != 0) (void)weft_memset(thread_of(to), to.offset, byte, size);
}

void* upcr_local_slow(upcr_pts_t p, const char* file, int line) {
  State& state = self();
  if (upcr_is_null(p)) return nullptr;
  if (thread_of(p) != state.me)
    fail({file, line},
         "a pointer-to-shared with affinity to thread %u is cast to a private pointer on thread %u; use upc_cast() of "
         "<upc_castable.h> for other threads' memory",
         thread_of(p), state.me);
  return state.view.self + p.offset;
}

void upcr_check_own(upcr_pts_t p, size_t size, const char* file, int line) {
  check_access(self_of_access(), "an access", p, size, {file, line});
}

void upcr_forget_slow(void) { forget_reads(); }

// Called on every 64th strict read or fence. Spinning threads give the processor to the ones they wait for.
void upcr_progress_slow(void) {
  (void)self();
  (void)weft_poll();
  if ((upcr_strict_count & 1023) == 0) sched_yield();
}

// Called on every 1024th turn of a loop that spins on a relaxed variable. A turn takes a nanosecond or so.
void upcr_spin_slow(unsigned turns) {
  (void)self();
  (void)weft_poll();
  if ((turns & 8191) == 0) sched_yield();
}

}  // extern "C"
