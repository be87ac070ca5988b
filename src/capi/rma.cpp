// Puts and gets that the inline path could not do, and everything about handles.
#include "weft/rma.h"

#include <cstring>
#include <type_traits>

#include "capi/forms.hpp"
#include "conduit/stream_copy.hpp"

namespace weft::capi {
namespace {

template <class Form>
int put(const char* function, weft_rank_t peer, size_t offset, const void* source, size_t size, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  check_transfer(thread, function, source, peer, offset, size);
  if constexpr (!std::is_same_v<Form, Blocking>) {
    if (char* base = direct(thread, peer)) {  // came here for WEFT_STREAM
      conduit::stream_copy(base + offset, source, size);
      if constexpr (std::is_same_v<Form, Implicit>)
        thread.context.stream_pending = 1;  // one fence for many, in weft_nbi_wait()
      else
        conduit::stream_fence();
      return form.done(function);
    }
  }
  return form(thread, peer, [&](rma::Operation& operation) {
    return thread.rank->rma.put(operation, peer, offset, source, size, rma_flags(form.flags));
  });
}

template <class Form>
int get(const char* function, void* destination, weft_rank_t peer, size_t offset, size_t size, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  check_transfer(thread, function, destination, peer, offset, size);
  return form(thread, peer, [&](rma::Operation& operation) {
    return thread.rank->rma.get(operation, destination, peer, offset, size, rma_flags(form.flags));
  });
}

template <class Form>
int fill(const char* function, weft_rank_t peer, size_t offset, int byte, size_t size, Form form) {
  Thread& thread = enter(function);
  check_flags(thread, function, form.flags);
  check_range(thread, function, peer, offset, size);
  if (char* base = direct(thread, peer)) {
    std::memset(base + offset, byte, size);
    return form.done(function);
  }
  return form(thread, peer, [&](rma::Operation& operation) {
    return thread.rank->rma.fill(operation, peer, offset, static_cast<uint8_t>(byte), size, rma_flags(form.flags));
  });
}

}  // namespace
}  // namespace weft::capi

using namespace weft::capi;
namespace rma = weft::rma;

extern "C" {

// ---- Put ----

int weft_detail_put(weft_rank_t peer, size_t offset, const void* source, size_t size) {
  return put("weft_put", peer, offset, source, size, Blocking{});
}

int weft_detail_put_small(weft_rank_t peer, size_t offset, weft_detail_small_t value, size_t size) {
  return weft_detail_put(peer, offset, &value, size);
}

int weft_detail_put_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags,
                       weft_handle_t* handle) {
  return put("weft_put_nb", peer, offset, source, size, Explicit{flags, handle});
}

int weft_detail_put_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags) {
  return put("weft_put_nbi", peer, offset, source, size, Implicit{flags});
}

// ---- Get ----

int weft_detail_get(void* destination, weft_rank_t peer, size_t offset, size_t size) {
  return get("weft_get", destination, peer, offset, size, Blocking{});
}

weft_detail_small_t weft_detail_get_small(weft_rank_t peer, size_t offset, size_t size) {
  weft_detail_small_t value = {{0, 0}};
  weft_detail_get(&value, peer, offset, size);
  return value;
}

int weft_detail_get_nb(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags,
                       weft_handle_t* handle) {
  return get("weft_get_nb", destination, peer, offset, size, Explicit{flags, handle});
}

int weft_detail_get_nbi(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags) {
  return get("weft_get_nbi", destination, peer, offset, size, Implicit{flags});
}

// ---- Values ----

void weft_detail_refuse_value(const char* function, size_t size) {
  misuse("%s: a value of %zu bytes; the most is %zu", function, size, sizeof(uint64_t));
}

// ---- Memset ----

int weft_memset(weft_rank_t peer, size_t offset, int byte, size_t size) {
  return fill("weft_memset", peer, offset, byte, size, Blocking{});
}

int weft_memset_nb(weft_rank_t peer, size_t offset, int byte, size_t size, unsigned flags, weft_handle_t* handle) {
  return fill("weft_memset_nb", peer, offset, byte, size, Explicit{flags, handle});
}

int weft_memset_nbi(weft_rank_t peer, size_t offset, int byte, size_t size, unsigned flags) {
  return fill("weft_memset_nbi", peer, offset, byte, size, Implicit{flags});
}

}  // extern "C"

// ---- Handles ----

namespace {

rma::Operation& operation_of(Thread& thread, const char* function, weft_handle_t handle) {
  rma::Operation* operation = thread.rank->rma.handles().find(handle);
  if (operation == nullptr)
    misuse("%s: handle %#llx was waited for already, or never issued", function,
           static_cast<unsigned long long>(handle));
  return *operation;
}

// Retires the handle if its operation is complete.
bool retire_if_done(Thread& thread, const char* function, weft_handle_t handle) {
  if (!operation_of(thread, function, handle).remote_done()) return false;
  thread.rank->rma.handles().release(handle);
  return true;
}

struct Tally {
  size_t outstanding = 0;
  size_t completed = 0;
};

// Retires all that are complete.
Tally sweep(Thread& thread, const char* function, weft_handle_t* handles, size_t count) {
  Tally tally;
  for (size_t i = 0; i < count; ++i) {
    if (handles[i] == WEFT_HANDLE_DONE) continue;
    if (retire_if_done(thread, function, handles[i])) {
      handles[i] = WEFT_HANDLE_DONE;
      ++tally.completed;
    } else {
      ++tally.outstanding;
    }
  }
  return tally;
}

bool is_some(const Tally& tally) { return tally.completed > 0 || tally.outstanding == 0; }

// Streaming stores to mapped memory are in place after this.
void fence_streams(Thread& thread) {
  if (thread.context.stream_pending != 0) weft::conduit::stream_fence();
  thread.context.stream_pending = 0;
}

}  // namespace

extern "C" {

int weft_handle_wait(weft_handle_t handle) {
  Thread& thread = enter("weft_handle_wait");
  if (handle == WEFT_HANDLE_DONE) return WEFT_OK;
  thread.rank->coll.wait(operation_of(thread, "weft_handle_wait", handle));
  thread.rank->rma.handles().release(handle);
  return WEFT_OK;
}

int weft_handle_wait_local(weft_handle_t handle) {
  Thread& thread = enter("weft_handle_wait_local");
  if (handle == WEFT_HANDLE_DONE) return WEFT_OK;
  thread.rank->rma.wait_local(operation_of(thread, "weft_handle_wait_local", handle));
  return WEFT_OK;
}

int weft_handle_test(weft_handle_t handle) {
  Thread& thread = enter("weft_handle_test");
  if (handle == WEFT_HANDLE_DONE || retire_if_done(thread, "weft_handle_test", handle)) return 1;
  thread.rank->core->progress().poll();
  return retire_if_done(thread, "weft_handle_test", handle) ? 1 : 0;
}

int weft_handle_test_local(weft_handle_t handle) {
  Thread& thread = enter("weft_handle_test_local");
  if (handle == WEFT_HANDLE_DONE) return 1;
  const rma::Operation& operation = operation_of(thread, "weft_handle_test_local", handle);
  if (!operation.local_done()) thread.rank->core->progress().poll();
  return operation.local_done() ? 1 : 0;
}

int weft_handle_wait_all(weft_handle_t* handles, size_t count) {
  check_pointer("weft_handle_wait_all", handles, count, "list of handles");
  for (size_t i = 0; i < count; ++i) {
    weft_handle_wait(handles[i]);
    handles[i] = WEFT_HANDLE_DONE;
  }
  return WEFT_OK;
}

int weft_handle_wait_some(weft_handle_t* handles, size_t count) {
  Thread& thread = enter("weft_handle_wait_some");
  check_pointer("weft_handle_wait_some", handles, count, "list of handles");
  thread.rank->core->progress().wait([&] { return is_some(sweep(thread, "weft_handle_wait_some", handles, count)); });
  return WEFT_OK;
}

int weft_handle_test_all(weft_handle_t* handles, size_t count) {
  Thread& thread = enter("weft_handle_test_all");
  check_pointer("weft_handle_test_all", handles, count, "list of handles");
  if (sweep(thread, "weft_handle_test_all", handles, count).outstanding == 0) return 1;
  thread.rank->core->progress().poll();
  return sweep(thread, "weft_handle_test_all", handles, count).outstanding == 0 ? 1 : 0;
}

int weft_handle_test_some(weft_handle_t* handles, size_t count) {
  Thread& thread = enter("weft_handle_test_some");
  check_pointer("weft_handle_test_some", handles, count, "list of handles");
  if (is_some(sweep(thread, "weft_handle_test_some", handles, count))) return 1;
  thread.rank->core->progress().poll();
  return is_some(sweep(thread, "weft_handle_test_some", handles, count)) ? 1 : 0;
}

// ---- Implicit handles and regions ----

int weft_detail_nbi_wait(void) {
  Thread& thread = enter("weft_nbi_wait");
  if (thread.outstanding.in_region()) misuse("weft_nbi_wait was called between weft_region_begin and weft_region_end");
  fence_streams(thread);
  thread.rank->core->progress().wait([&] { return thread.outstanding.implicit_done(); });
  thread.context.implicit_pending = 0;
  return WEFT_OK;
}

int weft_nbi_wait_local(void) {
  Thread& thread = enter("weft_nbi_wait_local");
  thread.rank->core->progress().wait([&] { return thread.outstanding.implicit_local_done(); });
  return WEFT_OK;
}

int weft_nbi_test(void) {
  Thread& thread = enter("weft_nbi_test");
  if (thread.outstanding.in_region()) misuse("weft_nbi_test was called between weft_region_begin and weft_region_end");
  if (!thread.outstanding.implicit_done()) thread.rank->core->progress().poll();
  if (!thread.outstanding.implicit_done()) return 0;
  weft_nbi_wait();
  return 1;
}

int weft_region_begin(void) {
  Thread& thread = enter("weft_region_begin");
  if (thread.outstanding.in_region()) misuse("weft_region_begin was called again before weft_region_end");
  rma::Operation& region = thread.rank->rma.handles().acquire(thread.region);
  region.call = "weft_region_begin";
  thread.outstanding.begin_region(region);
  thread.context.implicit_pending = 1;  // so that weft_nbi_wait comes here even with nothing pending, and is refused
  return WEFT_OK;
}

int weft_region_end(weft_handle_t* handle) {
  Thread& thread = enter("weft_region_end");
  check_handle_pointer("weft_region_end", handle);
  if (!thread.outstanding.in_region()) misuse("weft_region_end was called without weft_region_begin");
  fence_streams(thread);
  thread.outstanding.end_region();
  *handle = thread.region;
  return WEFT_OK;
}

// ---- All that went to a peer ----

int weft_detail_flush(weft_rank_t peer) {
  Thread& thread = enter("weft_flush");
  check_peer(thread, "weft_flush", peer);
  fence_streams(thread);
  thread.rank->core->progress().wait([&] { return thread.outstanding.all_done(peer); });
  return WEFT_OK;
}

int weft_detail_flush_all(void) {
  Thread& thread = enter("weft_flush_all");
  fence_streams(thread);
  thread.rank->core->progress().wait([&] { return thread.outstanding.all_done(); });
  return WEFT_OK;
}

}  // extern "C"
