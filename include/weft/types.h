/* Types, status codes and flags shared by every Weft header.
 *
 * Conventions of all Weft functions:
 *  - An `int` result is a weft_status: WEFT_OK (0) on success, WEFT_RETRY (1) only where the caller passed
 *    WEFT_IMMEDIATE, negative for an error. Outputs are written only on success.
 *  - Misuse (a rank that does not exist, a handle waited for twice, an offset outside the segment in checked
 *    mode) is not returned: it ends the job with one line that says what is wrong. Only conditions that a
 *    correct program can meet are returned.
 *  - Sizes and offsets are in bytes. A remote address is the pair (rank, byte offset in that rank's segment).
 *  - Unless a function says otherwise it may be called from any thread allowed by the thread mode, and may not
 *    be called inside an active-message handler.
 */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A process or thread taking part in the job: 0 to weft_size() - 1. */
typedef uint32_t weft_rank_t;

typedef enum weft_status {
  WEFT_OK = 0,
  WEFT_RETRY = 1,             /* declined for now: call weft_poll() and try again (WEFT_IMMEDIATE only) */
  WEFT_ERR_INVALID = -1,      /* an argument is outside its documented range */
  WEFT_ERR_NO_MEMORY = -2,    /* the segment or the host has not enough memory */
  WEFT_ERR_NOT_INIT = -3,     /* weft_init() has not been called, or weft_finalize() has */
  WEFT_ERR_MISMATCH = -4,     /* barrier values differ between ranks */
  WEFT_ERR_BOOT = -5,         /* the job could not be started or its ranks could not reach each other */
  WEFT_ERR_UNSUPPORTED = -6,  /* this build or this machine cannot do it */
  WEFT_ERR_SYSTEM = -7        /* a system call failed; the log line names it */
} weft_status;

/* A constant, human-readable sentence for a status; never NULL. */
const char* weft_status_string(int status);

/* Flags of the non-blocking operations and of active-message sends. Combine with `|`. */
enum {
  /* Return WEFT_RETRY, with no effect, instead of waiting for resources (queue space, credits). */
  WEFT_IMMEDIATE = 1u << 0,
  /* The data will not be read soon, neither here nor there: do not displace what is in the caches. Worth it
   * for rows of a kilobyte and more whose destination is far larger than the last-level cache. */
  WEFT_STREAM = 1u << 1
};

/* Names one non-blocking operation. A value type; there is no limit on how many are outstanding. */
typedef uint64_t weft_handle;
/* The handle of an operation that was complete when it was initiated. Waiting for it returns at once. */
#define WEFT_HANDLE_DONE ((weft_handle)0)

#ifdef __cplusplus
}
#endif
#endif
