/* Signals: telling the target that data is in place.
 *
 * A signal word is an aligned uint64_t in the target's segment. A signalling put makes its data visible first and
 * changes the word second, so a target that sees the word changed (with a function of this header) sees the data.
 * A semaphore is a signal word used as a count. Put the word on the cache line of a small payload, and both cross
 * together. Words are 0 when memory is first allocated.
 *
 * Words only grow where one waits for WEFT_GE: a word that is set back to 0 between two uses may be set after the first
 * signal of the next use has come, and loses it. So count on (the second use waits for 2 n where the first waited for
 * n), or let a barrier stand between the reset of all ranks and the next signal.
 * Source: Nishtala et al., "Team collectives and BG/P results" (semaphores, signalling puts); bupc_memput_signal. */
#ifndef WEFT_SIGNAL_H
#define WEFT_SIGNAL_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_signal_op {
  WEFT_SIGNAL_SET = 0, /* word = value */
  WEFT_SIGNAL_ADD = 1  /* word += value, atomically with respect to other signals and semaphore calls */
} weft_signal_op_t;

/* Puts `size` bytes (0 is allowed and only signals), then applies op to the word at `signal_offset` in the same
 * segment. Returns when the source may be reused: the data and the signal may arrive later, never in the other
 * order. The _nb and _nbi forms return at once. flags: WEFT_IMMEDIATE. */
int weft_put_signal(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                    uint64_t value, weft_signal_op_t op);
int weft_put_signal_nb(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                       uint64_t value, weft_signal_op_t op, unsigned flags, weft_handle_t* handle);
int weft_put_signal_nbi(weft_rank_t peer, size_t offset, const void* source, size_t size, size_t signal_offset,
                        uint64_t value, weft_signal_op_t op, unsigned flags);

typedef enum weft_compare {
  WEFT_EQ = 0,
  WEFT_NE = 1,
  WEFT_LT = 2,
  WEFT_LE = 3,
  WEFT_GT = 4,
  WEFT_GE = 5
} weft_compare_t;

/* Waits until the word at `signal_offset` in this rank's own segment compares so with `value` (unsigned), and
 * stores the word that satisfied it in *seen unless NULL. Makes progress while it waits; when the wait is long the
 * thread yields the processor and then sleeps. The word may also be changed by atomics, by puts of
 * 8 bytes, and by a plain store of a handler that this rank runs. */
int weft_signal_wait(size_t signal_offset, weft_compare_t compare, uint64_t value, uint64_t* seen);
/* 1 if it does now, else 0, after one round of progress. */
int weft_signal_test(size_t signal_offset, weft_compare_t compare, uint64_t value, uint64_t* seen);

/** What weft_signal_wait_any() waits for: that one word of this rank's own segment compares so with a value. */
typedef struct weft_signal_condition {
  size_t offset;          /**< of the word, in bytes; a multiple of 8 */
  weft_compare_t compare; /**< word `compare` value, unsigned */
  uint64_t value;
} weft_signal_condition_t;

/** Waits until at least one of several words satisfies its condition, as weft_signal_wait() does for one.
 *
 * For programs that are driven by their data: a list of what the rank could do next, most urgent first. It sees what
 * the signal announces. Makes progress; when the wait is long the thread yields the processor and then sleeps. What
 * ends a program that waits for ever (a signal, WEFT_CHECK=1) names this function. Nothing is taken or changed, so any
 * number of threads may wait for the same words. A look costs a load per condition, so lists of some hundreds are fine.
 *
 * @param conditions  `count` of them; read until the call returns. Several may be about the same word.
 * @param count  at least 1: nothing would end a wait for none, which ends the job with a line.
 * @param index  where the place of the first condition in the list that was found satisfied goes; NULL: nowhere.
 * @param seen   where the word that satisfied it goes; NULL: nowhere.
 * @return WEFT_OK.
 * @since 0.2 */
int weft_signal_wait_any(const weft_signal_condition_t* conditions, size_t count, size_t* index, uint64_t* seen);

/** Whether one of several words satisfies its condition now, after one round of progress if none did before.
 *
 * Parameters as those of weft_signal_wait_any(), but that `count` may be 0. Outputs are written only with result 1.
 *
 * @return 1 if one does, else 0.
 * @since 0.2 */
int weft_signal_test_any(const weft_signal_condition_t* conditions, size_t count, size_t* index, uint64_t* seen);

/* Semaphores: post adds n to the word at `offset` of `peer`, after all earlier blocking puts of this thread to that
 * peer. wait takes n from the word of this rank's own segment once it is at least n; try returns 1 if it could take
 * n, else 0. Any number of threads may post, wait and try. */
int weft_semaphore_post(weft_rank_t peer, size_t offset, uint64_t n);
int weft_semaphore_wait(size_t offset, uint64_t n);
int weft_semaphore_try(size_t offset, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
