/* Start, identity, progress and end of a job. */
#ifndef WEFT_JOB_H
#define WEFT_JOB_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the threads of one rank may call Weft. */
typedef enum weft_thread_mode {
  WEFT_THREAD_SINGLE = 0,     /* only the thread that called weft_init() */
  WEFT_THREAD_SERIALIZED = 1, /* any thread, one at a time: the program excludes concurrent calls */
  WEFT_THREAD_MULTIPLE = 2    /* any thread at any time */
} weft_thread_mode_t;

/* Joins the job. Collective: every rank calls it once, before any other Weft function except weft_status_string(),
 * weft_initialized() and weft_time_ns(). Equivalent to weft_init_thread() with WEFT_THREAD_SERIALIZED.
 *
 * argc, argv: those of main, or NULL. When ranks are threads of one process (weftrun --ranks-as=threads) they
 *   are handed to the other ranks, which start at main() themselves.
 * Started without a launcher, the program is a job of one rank.
 * Returns WEFT_OK, or, with the reason logged: WEFT_ERR_BOOT (the launcher), WEFT_ERR_INVALID (a setting),
 * WEFT_ERR_UNSUPPORTED (what was set cannot go together), WEFT_ERR_NO_MEMORY or WEFT_ERR_SYSTEM. */
int weft_init(int* argc, char*** argv);
int weft_init_thread(int* argc, char*** argv, weft_thread_mode_t mode);

/* Leaves the job. Collective; waits until every rank has called it and all communication is complete. No Weft
 * function may follow, except weft_status_string(), weft_initialized() and weft_time_ns(). An access region that is open, or a message that was prepared and
 * neither committed nor cancelled, ends the job with a line. */
int weft_finalize(void);

/* Ends the whole job from any one rank, at once, with this exit code, 0 to 255 (another one is misuse, told in a line,
 * and the job ends with 1). Does not return. The other
 * ranks are ended by the launcher within two seconds, with no chance to flush what they have buffered. Where there
 * is no job (weft_init has failed; after weft_finalize) it ends the process with this code. */
WEFT_DETAIL_NORETURN void weft_exit(int code);
/* As weft_exit(134), after logging `reason`, which may be NULL, with rank and host, and a backtrace if
 * WEFT_BACKTRACE=1. */
WEFT_DETAIL_NORETURN void weft_abort(const char* reason);

/** Whether the calling thread's rank is in a job: between a successful weft_init() and weft_finalize().
 *
 * When ranks are processes, all threads of a process belong to its rank. When ranks are threads, the answer is about the
 * rank that the calling thread is; a thread that the program made is none.
 *
 * @return 1 or 0. A thread that asks while another one is in weft_init() or weft_finalize() gets either.
 * @note Callable at any time, before weft_init() and after weft_finalize() too, by any thread, in handlers. Source:
 *   MPI_Initialized and MPI_Finalized (MPI-3, section 8.7), in one.
 * @since 0.2 */
int weft_initialized(void);

/** Nanoseconds by a monotonic clock, which is the same for all ranks of one host.
 *
 * Only differences mean something: the start is arbitrary (CLOCK_MONOTONIC's on Linux). Times of two ranks of one host
 * may be subtracted from each other. Those of ranks on different hosts may not: their clocks have different starts, and
 * drift apart. It is the clock by which the library itself waits and measures, so a transport that simulates a network
 * may let it run as it likes; programs that measure what Weft does use this one.
 *
 * @return The time. It never goes back.
 * @note Callable at any time, before weft_init() and after weft_finalize() too, by any thread, in handlers. Some tens of
 *   nanoseconds, without a system call.
 * @since 0.2 */
uint64_t weft_time_ns(void);

/* This rank and the number of ranks. Before weft_init(): 0 and 0. Any thread, handlers too. */
static inline weft_rank_t weft_rank(void) { return weft_detail_context()->rank; }
static inline weft_rank_t weft_size(void) { return weft_detail_context()->size; }

/* The ranks that share this rank's host: how many, and this rank's place among them. Any thread. */
weft_rank_t weft_host_size(void);
weft_rank_t weft_host_rank(void);

/* The mode that weft_init_thread() established. */
weft_thread_mode_t weft_thread_mode_get(void);

/* Makes progress: runs handlers of arrived active messages and completes outstanding operations. Every
 * function that waits does this itself. A program that computes for long between Weft calls and is the target
 * of active messages calls it now and then; it costs a few nanoseconds per peer on this host when there is
 * nothing to do. Returns the number of events handled. */
int weft_poll(void);

/* Runs body(argument) on `ranks` ranks that are threads of the calling process, each a full rank with its own
 * segment, and returns when all have returned. For tests and for experiments without a launcher. The calling
 * process must not be part of a job already. Each body calls weft_init(NULL, NULL) and weft_finalize().
 * Returns the first non-zero result of a body by rank order, else WEFT_OK. */
int weft_run_threads(weft_rank_t ranks, int (*body)(void* argument), void* argument);

#ifdef __cplusplus
}
#endif
#endif
