/* One-sided puts and gets.
 *
 * Completion has three levels (docs/COMPLETION.md defines them): local, the source buffer may be reused; remote,
 * the data is in place in the target's memory; signalled, the target can see that it is in place (weft/signal.h).
 *
 *   form          returns when                                completed by
 *   weft_put      the data is in place (remote completion)    -
 *   weft_put_nb   initiated                                   weft_handle_wait(), weft_handle_wait_local(), ...
 *   weft_put_nbi  initiated                                   weft_nbi_wait(), weft_nbi_wait_local(), regions
 *
 * A get is complete, locally and remotely, when its destination holds the data. Outstanding operations are not
 * ordered with each other; blocking operations of one thread take effect in program order. Local addresses may lie
 * anywhere, inside the segment or outside. size 0 is allowed and transfers nothing. Source and destination of one
 * operation must not overlap.
 *
 * A pointer that is needed and NULL ends the job with a line that names the function: where a handle goes (`handle` of
 * the _nb functions and of weft_region_end()), a list of handles, a source or destination of more than 0 bytes. Puts
 * and gets of mapped memory do not look, and crash; with WEFT_CHECK=1 they do.
 *
 * When the peer's memory is mapped here these functions compile to a load, a store or a memcpy. The caller
 * guarantees that the peer exists and that the memory is allocated; WEFT_CHECK=1 checks it (docs/SETTINGS.md says how
 * far) and ends the job with a line that names the operation.
 *
 * Returns: WEFT_OK; WEFT_RETRY only with WEFT_IMMEDIATE. Thread-safe as the thread mode says; not in handlers.
 * Source: GASNet-EX's RMA; the 2006 paper, section 2. */
#ifndef WEFT_RMA_H
#define WEFT_RMA_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Handles --------------------------------------------------------------------------------------------- */

/* Waits for remote completion and retires the handle; a handle is waited for once. */
int weft_handle_wait(weft_handle_t handle);
/* Waits until the source may be reused. Does not retire the handle; may be called any number of times before. */
int weft_handle_wait_local(weft_handle_t handle);
/* 1 and the handle is retired if the operation is remotely complete, else 0. Makes progress. */
int weft_handle_test(weft_handle_t handle);
/* 1 if the source may be reused, else 0. Does not retire the handle. Makes progress. */
int weft_handle_test_local(weft_handle_t handle);

/* The same for `count` handles. Handles found complete are retired and overwritten with WEFT_HANDLE_DONE;
 * entries that are WEFT_HANDLE_DONE are skipped. wait_some returns when at least one operation that was outstanding
 * is complete, or none is outstanding. The _test_ forms return 1 if, after one round of progress, all (some: at
 * least one, or none outstanding) are complete, else 0. */
int weft_handle_wait_all(weft_handle_t* handles, size_t count);
int weft_handle_wait_some(weft_handle_t* handles, size_t count);
int weft_handle_test_all(weft_handle_t* handles, size_t count);
int weft_handle_test_some(weft_handle_t* handles, size_t count);

/* ---- Implicit handles and access regions ------------------------------------------------------------------- */

/* Library side of weft_nbi_wait(); programs call that one. */
int weft_detail_nbi_wait(void);

/* Waits until all implicit-handle operations of the calling thread are remotely complete. */
static inline int weft_nbi_wait(void) {
  const weft_detail_context_t* context = weft_detail_context();
  if (__builtin_expect((context->stream_pending | context->implicit_pending) == 0, 1)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return WEFT_OK;
  }
  return weft_detail_nbi_wait();
}
/* Waits until the sources of all implicit-handle operations of the calling thread may be reused. */
int weft_nbi_wait_local(void);
/* 1 if all implicit-handle operations of the calling thread are remotely complete, else 0. Makes progress. */
int weft_nbi_test(void);

/* Between these two calls the calling thread's implicit-handle operations belong to the region; `end` gives one
 * handle for all of them. Regions do not nest, and nbi_wait and nbi_test must not be called inside. */
int weft_region_begin(void);
int weft_region_end(weft_handle_t* handle);

/* ---- All that went to one peer ------------------------------------------------------------------------------ */

/* Library sides of weft_flush() and weft_flush_all(); programs call those. */
int weft_detail_flush(weft_rank_t peer);
int weft_detail_flush_all(void);

/** Waits until all one-sided operations that the calling thread has initiated to `peer` are remotely complete.
 *
 * These are its puts, signalling puts, gets, memsets, atomics and semaphore posts in all forms: contiguous and not,
 * blocking, with a handle, and with an implicit one, those of regions and of the open one included. Operations to other
 * peers are not waited for, and need not make progress. Makes progress itself.
 *
 * Handles stay what they are: each is still waited for once, by weft_handle_wait() or its family, which then returns at
 * once; an open region stays open, and what it gets after the flush is not covered by it. A call that returned
 * WEFT_RETRY initiated nothing. Not included: active messages, which are complete at the target when their handler has
 * run (a reply tells), collectives, and what other threads initiated.
 *
 * Costs nothing but a look at two words where all peers are mapped; there the peer is not looked at without WEFT_CHECK.
 * Else each thread has 8 bytes for every rank of the job, and 256 for each that it sent such an operation to.
 *
 * @param peer A rank of the job, this one included. There is no such rank: misuse, which ends the job with a line.
 * @return WEFT_OK.
 * @note Thread-safe as the thread mode says; not in handlers. Source: MPI-3's MPI_Win_flush, section 11.5.4; OpenSHMEM
 *   1.6's shmem_pe_quiet, section 9.12.3. docs/COMPLETION.md, "To one peer".
 * @since 0.2 */
static inline int weft_flush(weft_rank_t peer) {
  if (__builtin_expect(weft_detail_map != 0 && weft_detail_context()->stream_pending == 0, 1)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return WEFT_OK;
  }
  return weft_detail_flush(peer);
}

/** As weft_flush() of every rank of the job.
 *
 * weft_nbi_wait() does less: it completes implicit-handle operations outside regions only.
 *
 * @return WEFT_OK.
 * @note Source: MPI-3's MPI_Win_flush_all; OpenSHMEM's shmem_quiet.
 * @since 0.2 */
static inline int weft_flush_all(void) {
  if (__builtin_expect(weft_detail_map != 0 && weft_detail_context()->stream_pending == 0, 1)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return WEFT_OK;
  }
  return weft_detail_flush_all();
}

/* Up to 16 bytes by value. The library paths of small blocking operations use it, so that the address of the program's
 * variable does not escape and the compiler can keep the variable in a register. */
typedef struct weft_detail_small {
  uint64_t word[2];
} weft_detail_small_t;

/* ---- Put ----------------------------------------------------------------------------------------------------- */

int weft_detail_put(weft_rank_t peer, size_t offset, const void* source, size_t size);
int weft_detail_put_small(weft_rank_t peer, size_t offset, weft_detail_small_t value, size_t size);
int weft_detail_put_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags,
                       weft_handle_t* handle);
int weft_detail_put_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags);

/* Copies `size` bytes from `source` to `offset` in the segment of `peer`. */
static inline int weft_put(weft_rank_t peer, size_t offset, const void* source, size_t size) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1)) {
    memcpy(weft_detail_at(map, peer, offset), source, size);
    return WEFT_OK;
  }
  if (__builtin_constant_p(size) && size <= sizeof(weft_detail_small_t) && source != NULL) {
    weft_detail_small_t value = {{0, 0}};
    memcpy(&value, source, size);
    return weft_detail_put_small(peer, offset, value, size);
  }
  return weft_detail_put(peer, offset, source, size);
}

/* flags: WEFT_IMMEDIATE, WEFT_STREAM. `source` must stay unchanged until local completion. */
static inline int weft_put_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags,
                              weft_handle_t* handle) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0 && (flags & WEFT_STREAM) == 0, 1)) {
    memcpy(weft_detail_at(map, peer, offset), source, size);
    *handle = WEFT_HANDLE_DONE;
    return WEFT_OK;
  }
  return weft_detail_put_nb(peer, offset, source, size, flags, handle);
}

static inline int weft_put_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0 && (flags & WEFT_STREAM) == 0, 1)) {
    memcpy(weft_detail_at(map, peer, offset), source, size);
    return WEFT_OK;
  }
  return weft_detail_put_nbi(peer, offset, source, size, flags);
}

/* ---- Get ----------------------------------------------------------------------------------------------------- */

int weft_detail_get(void* destination, weft_rank_t peer, size_t offset, size_t size);
weft_detail_small_t weft_detail_get_small(weft_rank_t peer, size_t offset, size_t size);
int weft_detail_get_nb(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags,
                       weft_handle_t* handle);
int weft_detail_get_nbi(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags);

/* Copies `size` bytes from `offset` in the segment of `peer` to `destination`. */
static inline int weft_get(void* destination, weft_rank_t peer, size_t offset, size_t size) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1)) {
    memcpy(destination, weft_detail_at(map, peer, offset), size);
    return WEFT_OK;
  }
  if (__builtin_constant_p(size) && size <= sizeof(weft_detail_small_t) && destination != NULL) {
    const weft_detail_small_t value = weft_detail_get_small(peer, offset, size);
    memcpy(destination, &value, size);
    return WEFT_OK;
  }
  return weft_detail_get(destination, peer, offset, size);
}

/* flags: WEFT_IMMEDIATE. `destination` must not be touched until the operation is complete. */
static inline int weft_get_nb(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags,
                              weft_handle_t* handle) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1)) {
    memcpy(destination, weft_detail_at(map, peer, offset), size);
    *handle = WEFT_HANDLE_DONE;
    return WEFT_OK;
  }
  return weft_detail_get_nb(destination, peer, offset, size, flags, handle);
}

static inline int weft_get_nbi(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1)) {
    memcpy(destination, weft_detail_at(map, peer, offset), size);
    return WEFT_OK;
  }
  return weft_detail_get_nbi(destination, peer, offset, size, flags);
}

/* ---- Register-sized values and memset ---------------------------------------------------------------------- */

/* Library side of a size that no value has; programs do not call it. */
void weft_detail_refuse_value(const char* function, size_t size) __attribute__((cold, noreturn));

/* Puts the low `size` (1 to 8) bytes of `value`, blocking; gets `size` bytes, zero-extended. Little-endian. A larger
 * size ends the job with a line; of a constant one nothing is left to look at. */
static inline int weft_put_value(weft_rank_t peer, size_t offset, uint64_t value, size_t size) {
  if (__builtin_expect(size > sizeof value, 0)) weft_detail_refuse_value("weft_put_value", size);
  return weft_put(peer, offset, &value, size);
}
static inline uint64_t weft_get_value(weft_rank_t peer, size_t offset, size_t size) {
  uint64_t value = 0;
  if (__builtin_expect(size > sizeof value, 0)) weft_detail_refuse_value("weft_get_value", size);
  weft_get(&value, peer, offset, size);
  return value;
}

/* Sets `size` bytes at `offset` in the segment of `peer` to (unsigned char)byte. */
int weft_memset(weft_rank_t peer, size_t offset, int byte, size_t size);
int weft_memset_nb(weft_rank_t peer, size_t offset, int byte, size_t size, unsigned flags, weft_handle_t* handle);
int weft_memset_nbi(weft_rank_t peer, size_t offset, int byte, size_t size, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
