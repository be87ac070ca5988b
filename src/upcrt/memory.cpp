// Copies: upc_mem* (UPC 7.2.5), <upc_nb.h>, and the asynchronous ones of <bupc.h>.
#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"
#include "weft/upcrt/library.h"

namespace weft::upcrt {
namespace {

static_assert(sizeof(upc_handle_t) == sizeof(weft_handle));

constexpr unsigned no_flags = 0;

unsigned put_flags(State& state, size_t size) {
  return state.puts.stream(size, upcr_strict_count) ? unsigned{WEFT_STREAM} : no_flags;
}

void check_both(State& state, upcr_pts to, upcr_pts from, size_t size) {
  check_access(state, "a read", from, size, {});
  check_access(state, "a write", to, size, {});
}

// A copy from shared to shared is a put if the source is mapped here, a get if the destination is, and done at once
// through a buffer otherwise.
upc_handle_t copy_nb(upcr_pts to, upcr_pts from, size_t size) {
  State& state = self();
  check_both(state, to, from, size);
  weft_handle handle = WEFT_HANDLE_DONE;
  if (const char* source = mapped(from))
    (void)weft_put_nb(thread_of(to), to.offset, source, size, no_flags, &handle);
  else if (char* destination = mapped(to))
    (void)weft_get_nb(destination, thread_of(from), from.offset, size, no_flags, &handle);
  else
    copy_shared(state, to, from, size);
  return handle;
}

void copy_nbi(upcr_pts to, upcr_pts from, size_t size) {
  State& state = self();
  check_both(state, to, from, size);
  if (const char* source = mapped(from))
    (void)weft_put_nbi(thread_of(to), to.offset, source, size, no_flags);
  else if (char* destination = mapped(to))
    (void)weft_get_nbi(destination, thread_of(from), from.offset, size, no_flags);
  else
    copy_shared(state, to, from, size);
}

upc_handle_t get_nb(void* to, upcr_pts from, size_t size) {
  check_access(self(), "a read", from, size, {});
  weft_handle handle = WEFT_HANDLE_DONE;
  (void)weft_get_nb(to, thread_of(from), from.offset, size, no_flags, &handle);
  return handle;
}

void get_nbi(void* to, upcr_pts from, size_t size) {
  check_access(self(), "a read", from, size, {});
  (void)weft_get_nbi(to, thread_of(from), from.offset, size, no_flags);
}

upc_handle_t put_nb(upcr_pts to, const void* from, size_t size) {
  State& state = self();
  check_access(state, "a write", to, size, {});
  weft_handle handle = WEFT_HANDLE_DONE;
  (void)weft_put_nb(thread_of(to), to.offset, from, size, put_flags(state, size), &handle);
  return handle;
}

void put_nbi(upcr_pts to, const void* from, size_t size) {
  State& state = self();
  check_access(state, "a write", to, size, {});
  (void)weft_put_nbi(thread_of(to), to.offset, from, size, put_flags(state, size));
}

upc_handle_t set_nb(upcr_pts to, int byte, size_t size) {
  check_access(self(), "a write", to, size, {});
  weft_handle handle = WEFT_HANDLE_DONE;
  (void)weft_memset_nb(thread_of(to), to.offset, byte, size, no_flags, &handle);
  return handle;
}

void set_nbi(upcr_pts to, int byte, size_t size) {
  check_access(self(), "a write", to, size, {});
  (void)weft_memset_nbi(thread_of(to), to.offset, byte, size, no_flags);
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

// The plain functions behind the macros of <upc.h>.
void upc_memcpy(upcr_pts dst, upcr_pts src, size_t n) { upcr_copy_slow(dst, src, n, nullptr, 0); }
void upc_memget(void* dst, upcr_pts src, size_t n) { upcr_get_slow(dst, src, n, nullptr, 0); }
void upc_memput(upcr_pts dst, const void* src, size_t n) { upcr_put_slow(dst, src, n, nullptr, 0); }
void upc_memset(upcr_pts dst, int c, size_t n) { upcr_memset_slow(dst, c, n, nullptr, 0); }

// ---- <upc_nb.h> ----
upc_handle_t upc_memcpy_nb(upcr_pts dst, upcr_pts src, size_t n) { return copy_nb(dst, src, n); }
upc_handle_t upc_memget_nb(void* dst, upcr_pts src, size_t n) { return get_nb(dst, src, n); }
upc_handle_t upc_memput_nb(upcr_pts dst, const void* src, size_t n) { return put_nb(dst, src, n); }
upc_handle_t upc_memset_nb(upcr_pts dst, int c, size_t n) { return set_nb(dst, c, n); }
void upc_memcpy_nbi(upcr_pts dst, upcr_pts src, size_t n) { copy_nbi(dst, src, n); }
void upc_memget_nbi(void* dst, upcr_pts src, size_t n) { get_nbi(dst, src, n); }
void upc_memput_nbi(upcr_pts dst, const void* src, size_t n) { put_nbi(dst, src, n); }
void upc_memset_nbi(upcr_pts dst, int c, size_t n) { set_nbi(dst, c, n); }
int upc_sync_attempt(upc_handle_t handle) { return weft_handle_test(handle); }
void upc_sync(upc_handle_t handle) { (void)weft_handle_wait(handle); }
int upc_synci_attempt(void) { return weft_nbi_test(); }
void upc_synci(void) { (void)weft_nbi_wait(); }

// ---- <bupc.h> ----
upc_handle_t bupc_memcpy_async(upcr_pts dst, upcr_pts src, size_t n) { return copy_nb(dst, src, n); }
upc_handle_t bupc_memget_async(void* dst, upcr_pts src, size_t n) { return get_nb(dst, src, n); }
upc_handle_t bupc_memput_async(upcr_pts dst, const void* src, size_t n) { return put_nb(dst, src, n); }
upc_handle_t bupc_memset_async(upcr_pts dst, int c, size_t n) { return set_nb(dst, c, n); }
void bupc_memcpy_asynci(upcr_pts dst, upcr_pts src, size_t n) { copy_nbi(dst, src, n); }
void bupc_memget_asynci(void* dst, upcr_pts src, size_t n) { get_nbi(dst, src, n); }
void bupc_memput_asynci(upcr_pts dst, const void* src, size_t n) { put_nbi(dst, src, n); }
void bupc_memset_asynci(upcr_pts dst, int c, size_t n) { set_nbi(dst, c, n); }
void bupc_waitsync(upc_handle_t handle) { (void)weft_handle_wait(handle); }
int bupc_trysync(upc_handle_t handle) { return weft_handle_test(handle); }
void bupc_waitsync_all(upc_handle_t* handles, size_t n) { (void)weft_handle_wait_all(handles, n); }
int bupc_trysync_all(upc_handle_t* handles, size_t n) { return weft_handle_test_all(handles, n); }
void bupc_waitsync_some(upc_handle_t* handles, size_t n) { (void)weft_handle_wait_some(handles, n); }
int bupc_trysync_some(upc_handle_t* handles, size_t n) { return weft_handle_test_some(handles, n); }
void bupc_waitsynci(void) { (void)weft_nbi_wait(); }
int bupc_trysynci(void) { return weft_nbi_test(); }
void bupc_begin_accessregion(void) { (void)weft_region_begin(); }
upc_handle_t bupc_end_accessregion(void) {
  weft_handle handle = WEFT_HANDLE_DONE;
  (void)weft_region_end(&handle);
  return handle;
}

}  // extern "C"
