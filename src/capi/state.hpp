// What the public functions find behind the thread-local context: the state of the rank and of the calling thread.
//
// Init starts the layers bottom-up: boot, conduit with decorators, core, rma, coll. Finalize ends them in reverse.
#pragma once

#include <pthread.h>

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/log.hpp"
#include "boot/boot.hpp"
#include "capi/totals.hpp"
#include "coll/barrier.hpp"
#include "coll/engine.hpp"
#include "core/call_checks.hpp"
#include "core/rank.hpp"
#include "rma/one_sided.hpp"
#include "rma/outstanding.hpp"
#include "rma/packing.hpp"
#include "weft/atomic.h"
#include "weft/barrier.h"
#include "weft/detail/context.h"
#include "weft/job.h"

namespace weft::capi {

struct RankState;

/// Why a thread may call little, while its context.handler is not null; in checked mode it says so.
enum class Restriction : uint8_t {
  handler,           ///< a handler of that name runs
  prepared_message,  ///< checked mode: a message is between that function and its commit
  second_thread      ///< checked mode: the program promised not to use threads
};

/// A thread of a rank. `context` is what the inline code of the public headers sees of it.
struct Thread {
  weft_detail_context_t context{};
  RankState* rank = nullptr;             // null before init and after finalize; weft_initialized() may look meanwhile
  conduit::Conduit* conduit = nullptr;   // the rank's, for calls that take nanoseconds
  core::Progress* progress = nullptr;    // the same
  std::unique_ptr<boot::Boot> assigned;  // a rank that is a thread: its way into the job, until init takes it
  rma::Outstanding outstanding;
  weft_handle_t region = WEFT_HANDLE_DONE;  // of the open access region
  Restriction restriction = Restriction::handler;
  int prepared = 0;                   // messages prepared by this thread less those it committed or cancelled
  const char* prepared_by = nullptr;  // the function that prepared the last one
};

/// Everything of a rank.
struct RankState {
  explicit RankState(std::unique_ptr<core::Rank> core_rank);

  /// A Thread object of this rank for the calling thread.
  Thread& attach();
  /// What this rank does is recorded there; null if nobody asked for that.
  conduit::hook::Statistics* statistics() const { return core->recorder() ? core->recorder()->statistics() : nullptr; }
  conduit::hook::Trace* trace() const { return core->recorder() ? core->recorder()->trace() : nullptr; }
  /// Both are printed and written: the job ends.
  void report();

  std::unique_ptr<core::Rank> core;
  rma::OneSided rma;
  core::CallChecks call_checks;
  coll::Barrier barrier;
  coll::Engine coll;
  Totals totals;
  bool check;                                 // WEFT_CHECK
  const core::MappedPeers* direct = nullptr;  // segments on which operations may bypass the conduit
  uint64_t map = 0;                           // the map word (weft/detail/context.h)
  std::mutex threads_mutex;
  std::vector<std::unique_ptr<Thread>> threads;
  std::atomic<pthread_t>* end_slot = nullptr;     // see tell_of_end()
  std::set<const weft_atomic_domain_t*> domains;  // those that exist; guarded by threads_mutex
};

/// The rank that threads of this process belong to unless they are ranks themselves; null when there is none.
void set_process_rank(RankState* rank);

/// Makes the calling thread's context this one.
void set_current(Thread* thread);

/// At the end: the rank's threads, which may live on, learn that they are in no job.
void retire_threads(RankState& rank);

/// From now on a signal that ends this process is told of, with where the rank is, and leaves its statistics and trace;
/// as far as settings ask for any of that.
void tell_of_end(RankState& rank);
/// The calling thread, which is this rank, ends or does something else.
void forget_end(RankState& rank);

/// WEFT_LOG=info: tells what the job runs on.
void log_start(RankState& rank);

/// Ends the job with this exit code; what this process has buffered is written first. `reason`: what has been logged
/// about it already, so that the launcher stays silent; empty if nothing has.
[[noreturn]] void end_job(RankState& rank, int code, const char* reason);

/// Logs the line and ends the job: the program broke a rule of the interface.
[[noreturn, gnu::format(printf, 1, 2)]] void misuse(const char* format, ...);

/// The calling thread, for functions that handlers may call. Ends the job if there is none.
inline Thread& enter_anywhere(const char* function) {
  auto& thread = *static_cast<Thread*>(weft_detail_context()->thread);
  if (__builtin_expect(thread.rank == nullptr, 0))
    misuse("%s was called before weft_init or after weft_finalize", function);
  thread.context.call = function;
  return thread;
}
/// WEFT_CHECK: ends the job, for a thread that may call little.
void check_restricted(const Thread& thread, const char* function);
/// The same for functions that handlers may not call; WEFT_CHECK ends the job if one does.
inline Thread& enter(const char* function) {
  Thread& thread = enter_anywhere(function);
  if (__builtin_expect(thread.context.handler != nullptr, 0)) check_restricted(thread, function);
  return thread;
}

void check_range_now(const Thread& thread, const char* function, weft_rank_t peer, size_t offset, size_t size,
                     bool live);
/// Ends the job unless peer is a rank.
inline void check_peer(const Thread& thread, const char* function, weft_rank_t peer) {
  if (__builtin_expect(peer >= thread.context.size, 0)) check_range_now(thread, function, peer, 0, 0, false);
}
/// Whether peer is a rank and the range lies in its segment.
inline bool in_segment(const Thread& thread, weft_rank_t peer, size_t offset, size_t size) {
  const size_t limit = thread.context.segment_size;
  return peer < thread.context.size && size <= limit && offset <= limit - size;
}
/// Ends the job unless peer is a rank, the range lies in its segment and, with WEFT_CHECK, in memory that is allocated
/// there, as far as this rank knows (check.cpp). What lies outside the segment would crash the peer, far from the
/// mistake.
inline void check_range(const Thread& thread, const char* function, weft_rank_t peer, size_t offset, size_t size) {
  if (__builtin_expect(!in_segment(thread, peer, offset, size) || thread.rank->check, 0))
    check_range_now(thread, function, peer, offset, size, thread.rank->check);
}
[[noreturn]] void refuse_null(const char* function, const char* what);
/// Ends the job if a pointer is NULL that the function needs.
inline void check_pointer(const char* function, const void* pointer, const char* what) {
  if (__builtin_expect(pointer == nullptr, 0)) refuse_null(function, what);
}
/// The same for one that is needed only if there is something at it: bytes or entries of a list.
inline void check_pointer(const char* function, const void* pointer, size_t count, const char* what) {
  if (__builtin_expect(pointer == nullptr && count != 0, 0)) refuse_null(function, what);
}
void check_local_now(const Thread& thread, const char* function, const void* local, weft_rank_t peer, size_t offset,
                     size_t size);
/// check_range(); the caller's buffer is not NULL, and with WEFT_CHECK it is allocated as far as it lies in this rank's
/// segment, and does not overlap the range.
inline void check_transfer(const Thread& thread, const char* function, const void* local, weft_rank_t peer,
                           size_t offset, size_t size) {
  check_range(thread, function, peer, offset, size);
  check_pointer(function, local, size, "caller's buffer");
  if (__builtin_expect(thread.rank->check, 0)) check_local_now(thread, function, local, peer, offset, size);
}
/// Ends the job unless peer is a rank and the range lies in its segment.
inline void check_bounds(const Thread& thread, const char* function, weft_rank_t peer, size_t offset, size_t size) {
  if (__builtin_expect(!in_segment(thread, peer, offset, size), 0))
    check_range_now(thread, function, peer, offset, size, false);
}
[[noreturn]] void refuse_flags(const char* function, unsigned flags, const char* known);
/// WEFT_CHECK: ends the job if there are bits that are no flags of the non-blocking operations and messages.
inline void check_flags(const Thread& thread, const char* function, unsigned flags) {
  constexpr unsigned known = WEFT_IMMEDIATE | WEFT_STREAM;
  if (__builtin_expect((flags & ~known) != 0 && thread.rank->check, 0))
    refuse_flags(function, flags, "WEFT_IMMEDIATE and WEFT_STREAM");
}
/// The same for those of barriers.
inline void check_barrier_flags(const Thread& thread, const char* function, unsigned flags) {
  if (__builtin_expect((flags & ~unsigned{WEFT_BARRIER_ANONYMOUS}) != 0 && thread.rank->check, 0))
    refuse_flags(function, flags, "WEFT_BARRIER_ANONYMOUS");
}
/// At the end: ends the job if a message was prepared and neither committed nor cancelled; its peer would wait for it.
void check_prepared(RankState& rank);
/// WEFT_CHECK, at the end: ends the job if there are handles that nobody has waited for.
void check_handles(Thread& thread);

/// The peer's segment if this operation may bypass the conduit, else null.
inline char* direct(const Thread& thread, weft_rank_t peer) {
  return reinterpret_cast<char*>((*thread.rank->direct)[peer]);
}

/// Ends the job if there is nowhere to put a handle.
inline void check_handle_pointer(const char* function, const weft_handle_t* handle) {
  if (__builtin_expect(handle == nullptr, 0))
    misuse("%s: the pointer to the handle is NULL; the handle goes there, and must be waited for", function);
}

/// Gives the caller a handle for an operation that `begin(Operation&)` begins, and the status for the caller.
template <class Begin>
int with_handle(Thread& thread, weft_handle_t* handle, Begin begin) {
  check_handle_pointer(thread.context.call, handle);
  rma::HandleTable& handles = thread.rank->rma.handles();
  weft_handle_t fresh;
  rma::Operation& operation = handles.acquire(fresh);
  operation.call = thread.context.call;
  const rma::Result result = begin(operation);
  // In checked mode even a finished operation gets a real handle, so that waiting twice is noticed.
  if (result == rma::Result::posted || (result == rma::Result::done && thread.rank->check)) {
    *handle = fresh;
    return WEFT_OK;
  }
  handles.release(fresh);
  if (result == rma::Result::retry) return WEFT_RETRY;
  *handle = WEFT_HANDLE_DONE;
  return WEFT_OK;
}

/// The same for a one-sided operation, which weft_flush() of the peer waits for.
template <class Begin>
int with_handle(Thread& thread, weft_rank_t peer, weft_handle_t* handle, Begin begin) {
  return with_handle(thread, handle, [&](rma::Operation& operation) {
    const rma::Result result = begin(operation);
    if (result == rma::Result::posted) thread.outstanding.note(peer, operation);
    return result;
  });
}

/// The same for one with an implicit handle. `posted(const Operation&)`: what else is to be done if it is under way.
template <class Begin, class Posted>
int with_implicit(Thread& thread, weft_rank_t peer, Begin begin, Posted posted) {
  rma::Operation& operation = thread.outstanding.implicit(peer);
  const rma::Result result = begin(operation);
  if (result == rma::Result::posted) {
    thread.outstanding.note_implicit(peer, operation);
    thread.context.implicit_pending = 1;
    posted(operation);
  }
  return result == rma::Result::retry ? WEFT_RETRY : WEFT_OK;
}
template <class Begin>
int with_implicit(Thread& thread, weft_rank_t peer, Begin begin) {
  return with_implicit(thread, peer, begin, [](const rma::Operation&) {});
}

/// Begins a blocking operation with `begin(Operation&)` and waits for it.
template <class Begin>
int blocking(Thread& thread, Begin begin) {
  rma::Operation operation;
  if (begin(operation) == rma::Result::posted) thread.rank->rma.wait_remote(operation);
  return WEFT_OK;
}

inline rma::Flags rma_flags(unsigned flags) {
  return {.immediate = (flags & WEFT_IMMEDIATE) != 0, .stream = (flags & WEFT_STREAM) != 0};
}

}  // namespace weft::capi
