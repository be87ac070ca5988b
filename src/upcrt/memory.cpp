// Copies: upc_mem* (UPC 7.2.5), <upc_nb.h>, and the asynchronous ones of <bupc.h>.
#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

static_assert(sizeof(upc_handle_t) == sizeof(weft_handle_t));

constexpr unsigned no_flags = 0;

unsigned put_flags(State& state, size_t size) {
  return state.puts.stream(size, upcr_strict_count) ? unsigned{WEFT_STREAM} : no_flags;
}

// A copy from shared to shared is a put if the source is mapped here, a get if the destination is, and done at once
// through a buffer otherwise.
upc_handle_t copy_nb(const char* function, upcr_pts_t to, upcr_pts_t from, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_copy(state, function, to, from, size);
  weft_handle_t handle = WEFT_HANDLE_DONE;
  if (const char* source = mapped(from))
    (void)weft_put_nb(thread_of(to), to.offset, source, size, no_flags, &handle);
  else if (char* destination = mapped(to))
    (void)weft_get_nb(destination, thread_of(from), from.offset, size, no_flags, &handle);
  else
    copy_shared(to, from, size);
  note_handle(state, function, handle);
  return handle;
}

void copy_nbi(const char* function, upcr_pts_t to, upcr_pts_t from, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_copy(state, function, to, from, size);
  if (const char* source = mapped(from))
    (void)weft_put_nbi(thread_of(to), to.offset, source, size, no_flags);
  else if (char* destination = mapped(to))
    (void)weft_get_nbi(destination, thread_of(from), from.offset, size, no_flags);
  else
    copy_shared(to, from, size);
}

upc_handle_t get_nb(const char* function, void* to, upcr_pts_t from, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_argument(state, function, "src", from, size);
  weft_handle_t handle = WEFT_HANDLE_DONE;
  (void)weft_get_nb(to, thread_of(from), from.offset, size, no_flags, &handle);
  note_handle(state, function, handle);
  return handle;
}

void get_nbi(const char* function, void* to, upcr_pts_t from, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_argument(state, function, "src", from, size);
  (void)weft_get_nbi(to, thread_of(from), from.offset, size, no_flags);
}

upc_handle_t put_nb(const char* function, upcr_pts_t to, const void* from, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_argument(state, function, "dst", to, size);
  weft_handle_t handle = WEFT_HANDLE_DONE;
  (void)weft_put_nb(thread_of(to), to.offset, from, size, put_flags(state, size), &handle);
  note_handle(state, function, handle);
  return handle;
}

void put_nbi(const char* function, upcr_pts_t to, const void* from, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_argument(state, function, "dst", to, size);
  (void)weft_put_nbi(thread_of(to), to.offset, from, size, put_flags(state, size));
}

upc_handle_t set_nb(const char* function, upcr_pts_t to, int byte, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_argument(state, function, "dst", to, size);
  weft_handle_t handle = WEFT_HANDLE_DONE;
  (void)weft_memset_nb(thread_of(to), to.offset, byte, size, no_flags, &handle);
  note_handle(state, function, handle);
  return handle;
}

void set_nbi(const char* function, upcr_pts_t to, int byte, size_t size) {
  State& state = self();
  const Calling calling(function);
  check_argument(state, function, "dst", to, size);
  (void)weft_memset_nbi(thread_of(to), to.offset, byte, size, no_flags);
}

// ---- Completion ----

// Waiting for what is named by the arguments. A handle may be a collective's, in which others have had a part.
template <class Wait, class... Arguments>
void wait_by(const char* function, Wait wait, Arguments... arguments) {
  const Calling calling(function);
  (void)wait(arguments...);
  see(&collective_key);
}

template <class Test, class... Arguments>
int test_by(const char* function, Test test, Arguments... arguments) {
  const Calling calling(function);
  const int done = test(arguments...);
  if (done != 0) see(&collective_key);
  return done;
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

// The plain functions behind the macros of <upc.h>.
void upc_memcpy(upcr_pts_t dst, upcr_pts_t src, size_t n) { upcr_memcpy_slow(dst, src, n, nullptr, 0); }
void upc_memget(void* dst, upcr_pts_t src, size_t n) { upcr_memget_slow(dst, src, n, nullptr, 0); }
void upc_memput(upcr_pts_t dst, const void* src, size_t n) { upcr_memput_slow(dst, src, n, nullptr, 0); }
void upc_memset(upcr_pts_t dst, int c, size_t n) { upcr_memset_slow(dst, c, n, nullptr, 0); }

// ---- <upc_nb.h> ----
upc_handle_t upc_memcpy_nb(upcr_pts_t dst, upcr_pts_t src, size_t n) { return copy_nb("upc_memcpy_nb", dst, src, n); }
upc_handle_t upc_memget_nb(void* dst, upcr_pts_t src, size_t n) { return get_nb("upc_memget_nb", dst, src, n); }
upc_handle_t upc_memput_nb(upcr_pts_t dst, const void* src, size_t n) { return put_nb("upc_memput_nb", dst, src, n); }
upc_handle_t upc_memset_nb(upcr_pts_t dst, int c, size_t n) { return set_nb("upc_memset_nb", dst, c, n); }
void upc_memcpy_nbi(upcr_pts_t dst, upcr_pts_t src, size_t n) { copy_nbi("upc_memcpy_nbi", dst, src, n); }
void upc_memget_nbi(void* dst, upcr_pts_t src, size_t n) { get_nbi("upc_memget_nbi", dst, src, n); }
void upc_memput_nbi(upcr_pts_t dst, const void* src, size_t n) { put_nbi("upc_memput_nbi", dst, src, n); }
void upc_memset_nbi(upcr_pts_t dst, int c, size_t n) { set_nbi("upc_memset_nbi", dst, c, n); }
int upc_sync_attempt(upc_handle_t handle) { return test_by("upc_sync_attempt", weft_handle_test, handle); }
void upc_sync(upc_handle_t handle) { wait_by("upc_sync", weft_handle_wait, handle); }
int upc_synci_attempt(void) { return test_by("upc_synci_attempt", weft_nbi_test); }
void upc_synci(void) { wait_by("upc_synci", weft_nbi_wait); }

// ---- <bupc.h> ----
upc_handle_t bupc_memcpy_async(upcr_pts_t dst, upcr_pts_t src, size_t n) {
  return copy_nb("bupc_memcpy_async", dst, src, n);
}
upc_handle_t bupc_memget_async(void* dst, upcr_pts_t src, size_t n) { return get_nb("bupc_memget_async", dst, src, n); }
upc_handle_t bupc_memput_async(upcr_pts_t dst, const void* src, size_t n) {
  return put_nb("bupc_memput_async", dst, src, n);
}
upc_handle_t bupc_memset_async(upcr_pts_t dst, int c, size_t n) { return set_nb("bupc_memset_async", dst, c, n); }
void bupc_memcpy_asynci(upcr_pts_t dst, upcr_pts_t src, size_t n) { copy_nbi("bupc_memcpy_asynci", dst, src, n); }
void bupc_memget_asynci(void* dst, upcr_pts_t src, size_t n) { get_nbi("bupc_memget_asynci", dst, src, n); }
void bupc_memput_asynci(upcr_pts_t dst, const void* src, size_t n) { put_nbi("bupc_memput_asynci", dst, src, n); }
void bupc_memset_asynci(upcr_pts_t dst, int c, size_t n) { set_nbi("bupc_memset_asynci", dst, c, n); }
void bupc_waitsync(upc_handle_t handle) { wait_by("bupc_waitsync", weft_handle_wait, handle); }
int bupc_trysync(upc_handle_t handle) { return test_by("bupc_trysync", weft_handle_test, handle); }
void bupc_waitsync_all(upc_handle_t* handles, size_t n) {
  wait_by("bupc_waitsync_all", weft_handle_wait_all, handles, n);
}
int bupc_trysync_all(upc_handle_t* handles, size_t n) {
  return test_by("bupc_trysync_all", weft_handle_test_all, handles, n);
}
void bupc_waitsync_some(upc_handle_t* handles, size_t n) {
  wait_by("bupc_waitsync_some", weft_handle_wait_some, handles, n);
}
int bupc_trysync_some(upc_handle_t* handles, size_t n) {
  return test_by("bupc_trysync_some", weft_handle_test_some, handles, n);
}
void bupc_waitsynci(void) { wait_by("bupc_waitsynci", weft_nbi_wait); }
int bupc_trysynci(void) { return test_by("bupc_trysynci", weft_nbi_test); }
void bupc_begin_accessregion(void) {
  const Calling calling("bupc_begin_accessregion");
  (void)weft_region_begin();
}
upc_handle_t bupc_end_accessregion(void) {
  const Calling calling("bupc_end_accessregion");
  weft_handle_t handle = WEFT_HANDLE_DONE;
  (void)weft_region_end(&handle);
  return handle;
}

}  // extern "C"
