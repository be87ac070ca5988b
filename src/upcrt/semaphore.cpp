// Semaphores and signalling puts (<bupc.h>). A semaphore is one signal word of the core, on a cache line of its own in
// the memory of the thread that allocated it. The pointer to it carries in its lowest bit that it is boolean, so that a
// producer needs nothing but the pointer.

#include "upcrt/heap.hpp"
#include "upcrt/runtime.hpp"
#include "weft/segment.h"
#include "weft/signal.h"
#include "weft/upcrt/access.h"
#include "weft/upcrt/functions.h"

namespace weft::upcrt {
namespace {

// As in <bupc.h>. One producer or one consumer is no restriction that this implementation needs.
enum Flags : int { boolean = 0x1, all_flags = 0x7 };

struct Semaphore {
  weft_rank_t home;
  uint64_t offset;
  bool is_boolean;
};

Semaphore open(State& state, const char* function, upcr_pts_t p) {
  if (upcr_is_null(p)) fail({}, "%s: the semaphore is a null pointer", function);
  const upcr_pts_t plain = upcr_make(p.offset & ~uint64_t{1}, upcr_thread(p), 0);
  check_access(state, function, plain, sizeof(uint64_t), {});
  return {thread_of(p), plain.offset, (p.offset & 1) != 0};
}

void check_count(const char* function, const Semaphore& semaphore, size_t n) {
  if (semaphore.is_boolean && n != 1)
    fail({}, "%s: a boolean semaphore is posted and waited for by 1, not %zu", function, n);
}

upcr_pts_t key_of(const Semaphore& semaphore) { return upcr_make(semaphore.offset, semaphore.home, 0); }

weft_signal_op_t signal_op(const Semaphore& semaphore) {
  return semaphore.is_boolean ? WEFT_SIGNAL_SET : WEFT_SIGNAL_ADD;
}

void post(const char* function, upcr_pts_t p, size_t n) {
  State& state = self();
  const Semaphore semaphore = open(state, function, p);
  check_count(function, semaphore, n);
  state.puts.others_look();
  upcr_full_fence();
  if (n == 0) return;
  let_see(key_of(semaphore));
  (void)weft_put_signal(semaphore.home, 0, nullptr, 0, semaphore.offset, n, signal_op(semaphore));
}

// Takes n from another thread's semaphore if it is there.
bool take_remote(State& state, const Semaphore& semaphore, size_t n) {
  uint64_t count = load_word(state, semaphore.home, semaphore.offset);
  while (count >= n)
    if (exchange_word(state, semaphore.home, semaphore.offset, count, count - n)) return true;
  return false;
}

void wait(const char* function, upcr_pts_t p, size_t n) {
  State& state = self();
  const Calling calling(function);
  const Semaphore semaphore = open(state, function, p);
  check_count(function, semaphore, n);
  if (semaphore.home == state.me) {
    (void)weft_semaphore_wait(semaphore.offset, n);
  } else {
    while (!take_remote(state, semaphore, n)) give_way();
  }
  upcr_full_fence();
  see(key_of(semaphore));
}

int attempt(const char* function, upcr_pts_t p, size_t n) {
  State& state = self();
  const Semaphore semaphore = open(state, function, p);
  check_count(function, semaphore, n);
  const bool taken =
      semaphore.home == state.me ? weft_semaphore_try(semaphore.offset, n) == 1 : take_remote(state, semaphore, n);
  if (!taken) {
    upcr_progress();  // a loop of attempts lets the producer run
    return 0;
  }
  upcr_full_fence();
  see(key_of(semaphore));
  return 1;
}

Semaphore open_for_put(State& state, const char* function, upcr_pts_t dst, size_t nbytes, upcr_pts_t sem, size_t n) {
  const Semaphore semaphore = open(state, function, sem);
  check_count(function, semaphore, n);
  check_access(state, function, dst, nbytes, {});
  state.puts.others_look();
  if (semaphore.home != thread_of(dst))
    fail({}, "%s: the destination is on thread %u, the semaphore on thread %u; they must be on the same", function,
         thread_of(dst), semaphore.home);
  let_see(key_of(semaphore));
  return semaphore;
}

}  // namespace
}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

upcr_pts_t bupc_sem_alloc(int flags) {
  State& state = self();
  if ((flags & ~all_flags) != 0)
    fail({}, "bupc_sem_alloc: %#x is no combination of semaphore flags", static_cast<unsigned>(flags));
  // A whole cache line: large enough that the heap aligns it to one.
  const uint64_t offset = heap_allocate(state, "bupc_sem_alloc", BlockKind::local, 256);
  if (offset == 0) return upcr_null();
  store_word(state, state.me, offset, 0);
  return upcr_make(offset | ((flags & boolean) != 0 ? 1 : 0), state.me, 0);
}

void bupc_sem_free(upcr_pts_t sem) {
  if (!upcr_is_null(sem))
    heap_free(self(), "bupc_sem_free", upcr_make(sem.offset & ~uint64_t{1}, upcr_thread(sem), 0), {});
}

void bupc_sem_post(upcr_pts_t sem) { post("bupc_sem_post", sem, 1); }
void bupc_sem_postN(upcr_pts_t sem, size_t n) { post("bupc_sem_postN", sem, n); }
void bupc_sem_wait(upcr_pts_t sem) { wait("bupc_sem_wait", sem, 1); }
void bupc_sem_waitN(upcr_pts_t sem, size_t n) { wait("bupc_sem_waitN", sem, n); }
int bupc_sem_try(upcr_pts_t sem) { return attempt("bupc_sem_try", sem, 1); }
int bupc_sem_tryN(upcr_pts_t sem, size_t n) { return attempt("bupc_sem_tryN", sem, n); }

void bupc_memput_signal(upcr_pts_t dst, const void* src, size_t nbytes, upcr_pts_t sem, size_t n) {
  const Semaphore semaphore = open_for_put(self(), "bupc_memput_signal", dst, nbytes, sem, n);
  (void)weft_put_signal(semaphore.home, dst.offset, src, nbytes, semaphore.offset, n, signal_op(semaphore));
}

upc_handle_t bupc_memput_signal_async(upcr_pts_t dst, const void* src, size_t nbytes, upcr_pts_t sem, size_t n) {
  const Semaphore semaphore = open_for_put(self(), "bupc_memput_signal_async", dst, nbytes, sem, n);
  weft_handle_t handle = WEFT_HANDLE_DONE;
  (void)weft_put_signal_nb(semaphore.home, dst.offset, src, nbytes, semaphore.offset, n, signal_op(semaphore), 0,
                           &handle);
  return handle;
}

}  // extern "C"
