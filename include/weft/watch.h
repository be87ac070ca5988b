/**
 * @file
 * Watching a program: its own regions in the trace, and counters.
 *
 * **WEFT_STATS=1** prints statistics when the job ends. For each rank: counts and bytes of each kind of operation that
 * the rank sent, and the waits in each function of the interface. Then the sums over all ranks. What the library sends
 * for itself (barriers, collectives, checks, puts and gets carried by messages) is listed apart, as "Weft's own". What
 * the end of the job sends is not counted.
 *
 * **WEFT_TRACE=FILE** writes a timeline of all ranks that opens in Perfetto or chrome://tracing. Its times count from
 * when rank 0 came to weft_init(). Across hosts they agree as well as the hosts' clocks do. A rank's non-blocking
 * collectives have lines of their own, each from its call to its completion.
 *
 * A rank that is ended by weft_exit(), weft_abort() or a signal while it waits leaves statistics and trace, but no
 * sums. A rank that crashes leaves neither. Both settings see every operation, so they turn the inline fast path off.
 *
 * The functions may be called from any thread, handlers too. When the trace is off they cost one load and a branch.
 */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opens a named span on this rank's line of the trace. Spans nest.
 * @param name  must outlive the job
 * @since 0.1 */
void weft_trace_begin(const char* name);
/** Closes the span that was opened last.
 * @since 0.1 */
void weft_trace_end(void);

/** What this rank has done so far. All zero unless WEFT_STATS=1. Operations to itself count, too. The runtime's own
 * messages do not. Puts and the like that the runtime carries by messages (WEFT_MAP_PEERS=0) are not counted as puts.
 */
typedef struct weft_counters {
  uint64_t puts;        /**< puts of all forms */
  uint64_t put_bytes;   /**< their bytes */
  uint64_t gets;        /**< gets of all forms */
  uint64_t get_bytes;   /**< their bytes */
  uint64_t atomics;     /**< atomic operations */
  uint64_t am_requests; /**< active messages: requests */
  uint64_t am_replies;  /**< active messages: replies */
  uint64_t am_bytes;    /**< the payload of both */
  uint64_t barriers;    /**< weft_barrier() and weft_barrier_notify(); those of teams do not count */
} weft_counters_t;
/** Reads the counters of this rank.
 * @param[out] counters  what they are now
 * @return WEFT_OK
 * @since 0.1 */
int weft_counters_read(weft_counters_t* counters);

#ifdef __cplusplus
}
#endif
#endif
