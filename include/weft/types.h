/**
 * @file
 * Types, status codes and flags shared by every Weft header.
 *
 * Conventions of all Weft functions:
 *  - An `int` result below 0 is a weft_status_t: an error, or WEFT_RETRY if the caller passed WEFT_IMMEDIATE. A result
 *    from 0 on is the answer. Functions whose name has `_test`, `_try`, `_is_` or `_initialized` return 1 for yes and 0
 *    for no, weft_poll() returns the number of events, all others return WEFT_OK (0). Outputs are written only on
 *    success.
 *  - Names of types end in `_t`. The enumerators of operations begin with what they belong to: WEFT_ATOMIC_ADD,
 *    WEFT_REDUCE_ADD, WEFT_SIGNAL_ADD.
 *  - Misuse (a rank that does not exist, a handle waited for twice, a call before weft_init() or after
 *    weft_finalize(), an offset outside the segment in checked mode) is not returned: it ends the job with one line
 *    that says what is wrong. Only conditions that a correct program can meet are returned.
 *  - Sizes and offsets are in bytes. A remote address is the pair (rank, byte offset in that rank's segment).
 *  - Unless a function says otherwise it may be called from any thread allowed by the thread mode, and may not
 *    be called inside an active-message handler.
 */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define WEFT_DETAIL_NORETURN [[noreturn]]
#else
#define WEFT_DETAIL_NORETURN _Noreturn
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A process or thread taking part in the job: 0 to weft_size() - 1. */
typedef uint32_t weft_rank_t;

/** What a function could not do. */
typedef enum weft_status {
  WEFT_OK = 0,               /**< done */
  WEFT_ERR_INVALID = -1,     /**< an argument is outside its documented range */
  WEFT_ERR_NO_MEMORY = -2,   /**< the segment or the host has not enough memory */
  WEFT_ERR_MISMATCH = -3,    /**< what must be the same on all ranks differs: barrier values, lists of members */
  WEFT_ERR_BOOT = -4,        /**< the job could not be started or its ranks could not reach each other */
  WEFT_ERR_UNSUPPORTED = -5, /**< this build or this machine cannot do it */
  WEFT_ERR_SYSTEM = -6,      /**< a system call failed; the log line names it */
  WEFT_RETRY = -7            /**< declined for now: call weft_poll() and try again (WEFT_IMMEDIATE only) */
} weft_status_t;

/** A sentence for a status. Any thread, at any time, handlers too.
 * @param status  a weft_status_t, or any number
 * @return a constant text, never NULL
 * @since 0.1 */
const char* weft_status_string(int status);

/** The type of an element: of a location that atomics work on, or of a reduction. The names say the C type's kind and
 * bits; from WEFT_I8 on they are for reductions (weft/coll.h) only. */
typedef enum weft_type {
  WEFT_I32 = 0,
  WEFT_U32 = 1,
  WEFT_I64 = 2,
  WEFT_U64 = 3,
  WEFT_F32 = 4,
  WEFT_F64 = 5,
  /* For reductions only (weft/coll.h): */
  WEFT_I8 = 6,
  WEFT_U8 = 7,
  WEFT_I16 = 8,
  WEFT_U16 = 9,
  WEFT_LONG_DOUBLE = 10
} weft_type_t;

/** Flags of the non-blocking operations and of active-message sends. Combine with `|`. */
enum {
  /** Return WEFT_RETRY, with no effect, instead of waiting for resources (queue space, credits). */
  WEFT_IMMEDIATE = 1u << 0,
  /** Neither side will read the data soon, so the transfer should not displace what is in the caches. It pays off for
   * rows of a kilobyte and more whose destination is far larger than the last-level cache. */
  WEFT_STREAM = 1u << 1
};

/** Names one non-blocking operation. A value type; there is no limit on how many are outstanding. */
typedef uint64_t weft_handle_t;
/** The handle of an operation that was complete when it was initiated. Waiting for it returns at once. */
#define WEFT_HANDLE_DONE ((weft_handle_t)0)

#ifdef __cplusplus
}
#endif
#endif
