/**
 * @file
 * Start, identity, progress and end of a job.
 *
 * docs/TUTORIAL.md has first programs, docs/LAUNCHING.md says how jobs are started and how they end.
 */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the threads of one rank may call Weft. */
typedef enum weft_thread_mode {
  WEFT_THREAD_SINGLE = 0,     /**< only the thread that called weft_init() */
  WEFT_THREAD_SERIALIZED = 1, /**< any thread, one at a time: the program excludes concurrent calls */
  WEFT_THREAD_MULTIPLE = 2    /**< any thread at any time */
} weft_thread_mode_t;

/** Joins the job. Collective: every rank calls it once, before any other Weft function except weft_status_string(),
 * weft_initialized() and weft_time_ns().
 *
 * Equivalent to weft_init_thread() with WEFT_THREAD_SERIALIZED. Started without a launcher, the program is a job of one
 * rank. Calling it again is misuse.
 * @param argc  that of main, or NULL
 * @param argv  that of main, or NULL; when ranks are threads of one process (`weftrun --ranks-as=threads`) argc and
 *              argv are handed to the other ranks, which start at main() themselves
 * @return WEFT_OK, or, with the reason logged: WEFT_ERR_BOOT (the launcher), WEFT_ERR_INVALID (a setting),
 *         WEFT_ERR_UNSUPPORTED (what was set cannot go together), WEFT_ERR_NO_MEMORY or WEFT_ERR_SYSTEM
 * @since 0.1 */
int weft_init(int* argc, char*** argv);
/** weft_init() with a thread mode.
 * @copydetails weft_init
 * @param mode  how this rank's threads will call Weft */
int weft_init_thread(int* argc, char*** argv, weft_thread_mode_t mode);

/** Leaves the job. Collective; waits until every rank has called it and all communication is complete.
 *
 * No Weft function may follow, except weft_status_string(), weft_initialized() and weft_time_ns(). An access region
 * that is open, or a message that was prepared and neither committed nor cancelled, ends the job with a line.
 * @return WEFT_OK, or, with the reason logged, a negative status if the network or the launcher could not be left in
 *         order
 * @since 0.1 */
int weft_finalize(void);

/** Ends the whole job from any one rank, at once. Does not return. Handlers may call it.
 *
 * The other ranks are ended by the launcher within two seconds, with no chance to flush what they have buffered. Where
 * weft_init has failed it ends the process with this code. After weft_finalize it does so, too, or is a return from the
 * rank's main if the launcher has put several ranks into the process.
 * @param code  the job's exit code, 0 to 255; another one is misuse, told in a line, and the job ends with 1
 * @since 0.1 */
WEFT_DETAIL_NORETURN void weft_exit(int code);
/** weft_exit() with code 134, after logging the reason with rank and host, and a backtrace if WEFT_BACKTRACE=1.
 * @param reason  what to log, or NULL
 * @since 0.1 */
WEFT_DETAIL_NORETURN void weft_abort(const char* reason);

/** Whether the calling thread's rank is in a job: between a successful weft_init() and weft_finalize(). Any thread, at
 * any time, before weft_init() and after weft_finalize() too, handlers too.
 *
 * When ranks are processes, all threads of a process belong to its rank. When ranks are threads, the answer is about
 * the rank that the calling thread is; a thread that the program made is none. Source: MPI_Initialized and
 * MPI_Finalized (MPI-3, section 8.7), in one.
 * @return 1 if it is, else 0; a thread that asks while another one is in weft_init() or weft_finalize() gets either
 * @since 0.2 */
int weft_initialized(void);

/** Nanoseconds by a monotonic clock, which is the same for all ranks of one host. Any thread, at any time, before
 * weft_init() and after weft_finalize() too, handlers too.
 *
 * Only differences mean something: the start is arbitrary (CLOCK_MONOTONIC's on Linux). Times of two ranks of one host
 * may be subtracted from each other. Those of ranks on different hosts may not: their clocks have different starts, and
 * drift apart. It is the clock by which the library itself waits and measures, so a transport that simulates a network
 * may let it run as it likes; programs that measure what Weft does use this one. It takes some tens of nanoseconds,
 * without a system call.
 * @return the time in nanoseconds; it never goes back
 * @since 0.2 */
uint64_t weft_time_ns(void);

/** This rank. Any thread, handlers too.
 * @return its number, 0 before weft_init()
 * @since 0.1 */
static inline weft_rank_t weft_rank(void) { return weft_detail_context()->rank; }
/** The number of ranks. Any thread, handlers too.
 * @return how many, 0 before weft_init()
 * @since 0.1 */
static inline weft_rank_t weft_size(void) { return weft_detail_context()->size; }

/** How many ranks share this rank's host, itself included. Any thread, handlers too.
 * @return at least 1
 * @since 0.1 */
weft_rank_t weft_host_size(void);
/** This rank's place among the ranks that share its host. Any thread, handlers too.
 * @return 0 to weft_host_size() - 1
 * @since 0.1 */
weft_rank_t weft_host_rank(void);

/** The mode that weft_init_thread() established. Any thread, handlers too.
 * @return the mode
 * @since 0.1 */
weft_thread_mode_t weft_thread_mode_get(void);

/** Makes progress: runs handlers of arrived active messages and completes outstanding operations.
 *
 * Every function that waits does this itself. A program that computes for long between Weft calls and is the target
 * of active messages calls it now and then; it costs a few nanoseconds per peer on this host when there is
 * nothing to do.
 * @return the number of events handled
 * @since 0.1 */
int weft_poll(void);

/** Runs a function on ranks that are threads of the calling process, and returns when all have returned.
 *
 * Each is a full rank with its own segment. For tests and for experiments without a launcher. The calling process must
 * not be part of a job already. Each body calls weft_init(NULL, NULL) and weft_finalize().
 * @param ranks     how many, at least 1
 * @param body      what each runs
 * @param argument  given to each body
 * @return the first non-zero result of a body by rank order, else WEFT_OK; WEFT_ERR_INVALID for 0 ranks
 * @since 0.1 */
int weft_run_threads(weft_rank_t ranks, int (*body)(void* argument), void* argument);

#ifdef __cplusplus
}
#endif
#endif
