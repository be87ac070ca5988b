/**
 * @file
 * One-sided puts and gets.
 *
 * Completion has three levels (docs/COMPLETION.md defines them):
 * - local: the source buffer may be reused,
 * - remote: the data is in place in the target's memory,
 * - signalled: the target can see that it is in place (weft/signal.h).
 *
 * | form         | returns when                              | completed by                                         |
 * |--------------|-------------------------------------------|------------------------------------------------------|
 * | weft_put     | the data is in place (remote completion)  | -                                                    |
 * | weft_put_nb  | initiated                                 | weft_handle_wait(), weft_handle_wait_local(), ...    |
 * | weft_put_nbi | initiated                                 | weft_nbi_wait(), weft_nbi_wait_local(), regions      |
 *
 * A get is complete, locally and remotely, when its destination holds the data. Outstanding operations are not
 * ordered with each other. Blocking operations of one thread take effect in program order. Local addresses may lie
 * anywhere, inside the segment or outside. size 0 is allowed and transfers nothing. Source and destination of one
 * operation must not overlap.
 *
 * NULL ends the job with a line that names the function, if the pointer is needed: for the handle of an _nb function or
 * of weft_region_end(), for a list of handles, for a source or destination of more than 0 bytes. Puts and gets of
 * mapped memory check this only with WEFT_CHECK=1. Without it they crash.
 *
 * When the peer's memory is mapped here these functions compile to a load, a store or a memcpy. The caller
 * guarantees that the peer exists and that the memory is allocated. WEFT_CHECK=1 checks that, as far as
 * docs/SETTINGS.md says, and ends the job with a line that names the operation.
 *
 * Thread-safe as the thread mode says; not in handlers.
 *
 * Source: GASNet-EX's RMA; the 2006 paper, section 2.
 */
#ifndef WEFT_RMA_H
#define WEFT_RMA_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Handles
 * WEFT_HANDLE_DONE is complete: it may be given to all of these, and any number of times. Another handle that was
 * retired already, or never issued, ends the job with a line.
 * @{ */

/** Waits for remote completion and retires the handle; a handle is waited for once.
 * @param handle  of the operation
 * @return WEFT_OK
 * @since 0.1 */
int weft_handle_wait(weft_handle_t handle);
/** Waits for local completion: until the source may be reused. Does not retire the handle; may be called any number of
 * times before weft_handle_wait().
 * @copydetails weft_handle_wait */
int weft_handle_wait_local(weft_handle_t handle);
/** Asks for remote completion, and retires the handle if the operation is complete. Makes progress.
 * @param handle  of the operation
 * @return 1 if it is complete, else 0
 * @since 0.1 */
int weft_handle_test(weft_handle_t handle);
/** Asks for local completion. Does not retire the handle. Makes progress.
 * @param handle  of the operation
 * @return 1 if the source may be reused, else 0
 * @since 0.1 */
int weft_handle_test_local(weft_handle_t handle);

/** Waits for remote completion of all operations of a list.
 *
 * Handles found complete are retired and overwritten with WEFT_HANDLE_DONE; entries that are WEFT_HANDLE_DONE are
 * skipped.
 * @param[in,out] handles  the list; may be NULL if `count` is 0
 * @param count            entries in it
 * @return WEFT_OK
 * @since 0.1 */
int weft_handle_wait_all(weft_handle_t* handles, size_t count);
/** Waits until at least one operation of the list that was outstanding is complete, or none is outstanding.
 * @copydetails weft_handle_wait_all */
int weft_handle_wait_some(weft_handle_t* handles, size_t count);
/** Asks, after one round of progress, whether all operations of a list are complete.
 *
 * Handles found complete are retired and overwritten with WEFT_HANDLE_DONE, whatever the answer; entries that are
 * WEFT_HANDLE_DONE are skipped.
 * @param[in,out] handles  the list; may be NULL if `count` is 0
 * @param count            entries in it
 * @return 1 for yes, else 0
 * @since 0.1 */
int weft_handle_test_all(weft_handle_t* handles, size_t count);
/** Asks, after one round of progress, whether at least one operation of the list that was outstanding is complete, or
 * none is outstanding.
 * @copydetails weft_handle_test_all */
int weft_handle_test_some(weft_handle_t* handles, size_t count);

/** @} */

/** @name Implicit handles and access regions
 * @{ */

/* Library side of weft_nbi_wait(); programs call that one. */
int weft_detail_nbi_wait(void);

/** Waits for remote completion of all implicit-handle operations of the calling thread. Not inside a region.
 * @return WEFT_OK
 * @since 0.1 */
static inline int weft_nbi_wait(void) {
  const weft_detail_context_t* context = weft_detail_context();
  if (__builtin_expect((context->stream_pending | context->implicit_pending) == 0, 1)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return WEFT_OK;
  }
  return weft_detail_nbi_wait();
}
/** Waits for local completion of all implicit-handle operations of the calling thread, inside a region of the region's:
 * until their sources may be reused.
 * @return WEFT_OK
 * @since 0.1 */
int weft_nbi_wait_local(void);
/** Asks for remote completion of all implicit-handle operations of the calling thread. Makes progress. Not inside a
 * region.
 * @return 1 if they are complete, else 0
 * @since 0.1 */
int weft_nbi_test(void);

/** Begins an access region. The calling thread's implicit-handle operations belong to the region until
 * weft_region_end(), which gives one handle for all of them. A second region inside a region, weft_nbi_wait() and
 * weft_nbi_test() inside a region end the job with a line.
 * @return WEFT_OK
 * @since 0.1 */
int weft_region_begin(void);
/** Ends the access region of the calling thread. Without weft_region_begin() before it ends the job with a line.
 * @param[out] handle  for all of the region's operations
 * @return WEFT_OK
 * @since 0.1 */
int weft_region_end(weft_handle_t* handle);

/** @} */

/** @name Flush: all that went to one peer, or to all
 * @{ */

/* Library sides of weft_flush() and weft_flush_all(); programs call those. */
int weft_detail_flush(weft_rank_t peer);
int weft_detail_flush_all(void);

/** Waits for remote completion of all one-sided operations that the calling thread has initiated to one peer. Makes
 * progress.
 *
 * **Included**: puts, signalling puts, gets, memsets, atomics and semaphore posts. They may be contiguous or not,
 * blocking, with an explicit handle or with an implicit one, in closed regions or in the open one.
 *
 * **Not included**: operations to other peers, operations of other threads, active messages, collectives. An active
 * message is complete at the target when its handler has run; a reply can tell.
 *
 * **Handles** are not retired: each is still waited for once, by weft_handle_wait() or its family, which then returns
 * at once. An open region stays open; the flush does not cover what the region gets later. A call that returned
 * WEFT_RETRY initiated nothing.
 *
 * **Cost.** Where all peers are mapped: a look at two words; `peer` is then checked only with WEFT_CHECK=1. Elsewhere
 * each thread has 8 bytes for every rank of the job, and 256 bytes for each rank to which it sent such an operation.
 *
 * Source: MPI_Win_flush (MPI-3, section 11.5.4); OpenSHMEM 1.6's shmem_pe_quiet, section 9.12.3.
 * @param peer  a rank of the job, this one included; another one ends the job with a line
 * @return WEFT_OK
 * @since 0.2
 * @see docs/COMPLETION.md, "To one peer" */
static inline int weft_flush(weft_rank_t peer) {
  if (__builtin_expect(weft_detail_map != 0 && weft_detail_context()->stream_pending == 0, 1)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return WEFT_OK;
  }
  return weft_detail_flush(peer);
}

/** weft_flush() of every rank of the job. weft_nbi_wait() does less: it completes implicit-handle operations outside
 * regions only. Source: MPI-3's MPI_Win_flush_all; OpenSHMEM's shmem_quiet.
 * @return WEFT_OK
 * @since 0.2 */
static inline int weft_flush_all(void) {
  if (__builtin_expect(weft_detail_map != 0 && weft_detail_context()->stream_pending == 0, 1)) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return WEFT_OK;
  }
  return weft_detail_flush_all();
}

/** @} */

/* Up to 16 bytes by value. The library paths of small blocking operations use it, so that the address of the program's
 * variable does not escape and the compiler can keep the variable in a register. */
typedef struct weft_detail_small {
  uint64_t word[2];
} weft_detail_small_t;

/** @name Put
 * @{ */

int weft_detail_put(weft_rank_t peer, size_t offset, const void* source, size_t size);
int weft_detail_put_small(weft_rank_t peer, size_t offset, weft_detail_small_t value, size_t size);
int weft_detail_put_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags,
                       weft_handle_t* handle);
int weft_detail_put_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags);

/** Copies bytes to another rank's segment; returns when they are in place.
 *
 * @param peer    whose segment
 * @param offset  where in it
 * @param source  what to copy; it must stay unchanged until local completion
 * @param size    bytes
 * @return WEFT_OK; from _nb and _nbi also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1
 * @see docs/COMPLETION.md */
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

/** weft_put() that returns when it is initiated; the handle completes it.
 * @copydetails weft_put
 * @param flags        WEFT_IMMEDIATE, WEFT_STREAM, or 0
 * @param[out] handle  to wait for */
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

/** weft_put() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_put
 * @param flags   WEFT_IMMEDIATE, WEFT_STREAM, or 0 */
static inline int weft_put_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, unsigned flags) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0 && (flags & WEFT_STREAM) == 0, 1)) {
    memcpy(weft_detail_at(map, peer, offset), source, size);
    return WEFT_OK;
  }
  return weft_detail_put_nbi(peer, offset, source, size, flags);
}

/** @} */

/** @name Get
 * @{ */

int weft_detail_get(void* destination, weft_rank_t peer, size_t offset, size_t size);
weft_detail_small_t weft_detail_get_small(weft_rank_t peer, size_t offset, size_t size);
int weft_detail_get_nb(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags,
                       weft_handle_t* handle);
int weft_detail_get_nbi(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags);

/** Copies bytes from another rank's segment; returns when they are here.
 *
 * @param[out] destination  where to; it must not be touched until the operation is complete
 * @param peer    whose segment
 * @param offset  where in it
 * @param size    bytes
 * @return WEFT_OK; from _nb and _nbi also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1
 * @see docs/COMPLETION.md */
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

/** weft_get() that returns when it is initiated; the handle completes it.
 * @copydetails weft_get
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
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

/** weft_get() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_get
 * @param flags   WEFT_IMMEDIATE, or 0 */
static inline int weft_get_nbi(void* destination, weft_rank_t peer, size_t offset, size_t size, unsigned flags) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1)) {
    memcpy(destination, weft_detail_at(map, peer, offset), size);
    return WEFT_OK;
  }
  return weft_detail_get_nbi(destination, peer, offset, size, flags);
}

/** @} */

/** @name Register-sized values and memset
 * @{ */

/* Library side of a size that no value has; programs do not call it. */
void weft_detail_refuse_value(const char* function, size_t size) __attribute__((cold, noreturn));

/** weft_put() of a value: its low bytes, little-endian.
 *
 * @param peer    whose segment
 * @param offset  where in it
 * @param value   what to put
 * @param size    bytes of it, 1 to 8; a larger size ends the job with a line
 * @return WEFT_OK
 * @since 0.1 */
static inline int weft_put_value(weft_rank_t peer, size_t offset, uint64_t value, size_t size) {
  if (__builtin_expect(size > sizeof value, 0)) weft_detail_refuse_value("weft_put_value", size);
  return weft_put(peer, offset, &value, size);
}
/** weft_get() of a value, little-endian.
 *
 * @param peer    whose segment
 * @param offset  where in it
 * @param size    bytes, 1 to 8; a larger size ends the job with a line
 * @return the value, extended with zeros
 * @since 0.1 */
static inline uint64_t weft_get_value(weft_rank_t peer, size_t offset, size_t size) {
  uint64_t value = 0;
  if (__builtin_expect(size > sizeof value, 0)) weft_detail_refuse_value("weft_get_value", size);
  weft_get(&value, peer, offset, size);
  return value;
}

/** Sets bytes of another rank's segment; returns when they are set.
 *
 * @param peer    whose segment
 * @param offset  where in it
 * @param byte    the value of each, converted to unsigned char
 * @param size    bytes
 * @return WEFT_OK; from _nb and _nbi also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_memset(weft_rank_t peer, size_t offset, int byte, size_t size);
/** weft_memset() that returns when it is initiated; the handle completes it.
 * @copydetails weft_memset
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_memset_nb(weft_rank_t peer, size_t offset, int byte, size_t size, unsigned flags, weft_handle_t* handle);
/** weft_memset() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_memset
 * @param flags   WEFT_IMMEDIATE, or 0 */
int weft_memset_nbi(weft_rank_t peer, size_t offset, int byte, size_t size, unsigned flags);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
