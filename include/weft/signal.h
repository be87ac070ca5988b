/**
 * @file
 * Signals: telling the target that data is in place.
 *
 * A signal word is an aligned uint64_t in the target's segment. A signalling put first makes its data visible and then
 * changes the word. So a target that sees the word changed (with a function of this header) sees the data. A semaphore
 * is a signal word used as a count. Words are 0 when memory is first allocated. docs/COMPLETION.md compares signals
 * with the other levels of completion.
 *
 * Put the word on the cache line of a small payload: both then cross in one transfer.
 *
 * Do not set a word back to 0 between two uses. The first signal of the next use may already have come, and would be
 * lost. Count on instead: the second use waits for 2 n where the first waited for n. Or have a barrier between the
 * reset on all ranks and the next signal.
 *
 * Source: Nishtala et al., "Team collectives and BG/P results" (semaphores, signalling puts); bupc_memput_signal.
 */
#ifndef WEFT_SIGNAL_H
#define WEFT_SIGNAL_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a signalling put does to the word. */
typedef enum weft_signal_op {
  WEFT_SIGNAL_SET = 0, /**< word = value */
  WEFT_SIGNAL_ADD = 1  /**< word += value, atomically with respect to other signals and semaphore calls */
} weft_signal_op_t;

/** Puts data and then changes a signal word. Returns when the source may be reused (local completion); weft_nbi_wait()
 * waits for remote completion.
 *
 * The data and the signal may arrive after the call has returned. The signal never arrives before the data.
 * @param peer           whose segment
 * @param offset         where the data goes
 * @param source         the data; it must stay unchanged until local completion
 * @param size           bytes; 0 only signals
 * @param signal_offset  the word, in the same segment, aligned to 8 bytes
 * @param value          what is done to the word, with op
 * @param op             how
 * @return WEFT_OK; from _nb and _nbi also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_put_signal(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                    uint64_t value, weft_signal_op_t op);
/** weft_put_signal() that returns when it is initiated; the handle completes it.
 * @copydetails weft_put_signal
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_put_signal_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                       uint64_t value, weft_signal_op_t op, unsigned flags, weft_handle_t* handle);
/** weft_put_signal() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_put_signal
 * @param flags  WEFT_IMMEDIATE, or 0 */
int weft_put_signal_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                        uint64_t value, weft_signal_op_t op, unsigned flags);

/** How the word is to compare with a value; both are unsigned. */
typedef enum weft_compare {
  WEFT_EQ = 0, /**< word == value */
  WEFT_NE = 1, /**< word != value */
  WEFT_LT = 2, /**< word < value */
  WEFT_LE = 3, /**< word <= value */
  WEFT_GT = 4, /**< word > value */
  WEFT_GE = 5  /**< word >= value */
} weft_compare_t;

/** Waits until a word of this rank's own segment compares so with a value.
 *
 * Makes progress while it waits; when the wait is long the thread yields the processor and then sleeps. The word may
 * also be changed by atomics, by puts of 8 bytes, and by a plain store of a handler that this rank runs.
 * @param signal_offset  the word, aligned to 8 bytes
 * @param compare        how it is to compare
 * @param value          with what
 * @param[out] seen      the word that satisfied it; may be NULL
 * @return WEFT_OK
 * @since 0.1 */
int weft_signal_wait(size_t signal_offset, weft_compare_t compare, uint64_t value, uint64_t* seen);
/** Asks, after one round of progress, whether a word of this rank's own segment compares so with a value.
 * @param signal_offset  the word, aligned to 8 bytes
 * @param compare        how it is to compare
 * @param value          with what
 * @param[out] seen      the word, if it satisfied it; may be NULL
 * @return 1 if it does, else 0
 * @since 0.1 */
int weft_signal_test(size_t signal_offset, weft_compare_t compare, uint64_t value, uint64_t* seen);

/** What weft_signal_wait_any() waits for: that one word of this rank's own segment compares so with a value. */
typedef struct weft_signal_condition {
  size_t offset;          /**< of the word, in bytes; a multiple of 8 */
  weft_compare_t compare; /**< word `compare` value, unsigned */
  uint64_t value;         /**< with what it compares */
} weft_signal_condition_t;

/** Waits until at least one of several words satisfies its condition, as weft_signal_wait() does for one.
 *
 * For programs that are driven by their data: the list has what the rank could do next, the most urgent first. The
 * caller sees the data that the signal announces. Makes progress; when the wait is long the thread yields the processor
 * and then sleeps. If the program waits for ever, the message that ends it (after a signal, or by WEFT_CHECK=1) names
 * this function. The words are not changed, so any number of threads may wait for the same words. Each look costs a
 * load per condition; lists of some hundreds are fine.
 *
 * @param conditions  `count` of them; read until the call returns. Several may be about the same word.
 * @param count  at least 1; 0 ends the job with a line, because such a wait would never end.
 * @param index  set to the place in the list of the first condition that was found satisfied; may be NULL.
 * @param seen   set to the word that satisfied it; may be NULL.
 * @return WEFT_OK.
 * @since 0.2 */
int weft_signal_wait_any(const weft_signal_condition_t* conditions, size_t count, size_t* index, uint64_t* seen);

/** Whether one of several words satisfies its condition now, after one round of progress if none did before.
 *
 * @param conditions  `count` of them; several may be about the same word.
 * @param count  may be 0.
 * @param index  as weft_signal_wait_any(); written only with result 1.
 * @param seen   as weft_signal_wait_any(); written only with result 1.
 * @return 1 if one does, else 0.
 * @since 0.2 */
int weft_signal_test_any(const weft_signal_condition_t* conditions, size_t count, size_t* index, uint64_t* seen);

/** Adds to a semaphore, after all earlier blocking puts of this thread to that peer. Any number of threads may post,
 * wait and try.
 * @param peer    whose segment
 * @param offset  the word, aligned to 8 bytes
 * @param n       how much
 * @return WEFT_OK
 * @since 0.1 */
int weft_semaphore_post(weft_rank_t peer, size_t offset, uint64_t n);
/** Waits until a semaphore of this rank's own segment is at least n, and takes n from it.
 * @param offset  the word, aligned to 8 bytes
 * @param n       how much
 * @return WEFT_OK
 * @since 0.1 */
int weft_semaphore_wait(size_t offset, uint64_t n);
/** Takes n from a semaphore of this rank's own segment if it is at least that, after one round of progress.
 * @param offset  the word, aligned to 8 bytes
 * @param n       how much
 * @return 1 if it could take n, else 0
 * @since 0.1 */
int weft_semaphore_try(size_t offset, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
