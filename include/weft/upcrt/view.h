/**
 * @file
 * What a UPC thread knows without asking.
 *
 * Who it is, how many there are, and where shared memory is mapped.
 *
 * Inline code reads these constants on every access, so they are declared const: compilers then keep them in registers
 * across stores, calls and loops. The runtime sets them once, before any code of the program runs.
 *
 * Two objects exist. Programs whose threads are processes read the process's one, which any OpenMP or POSIX thread that
 * the program makes sees too; programs compiled with -DUPCR_PTHREADS=1 (upcc --pthreads) read that of the calling
 * thread. Compile every unit of a program in the same mode: unit.h records it and start-up checks it.
 */
#ifndef WEFT_UPCRT_VIEW_H
#define WEFT_UPCRT_VIEW_H

#include <stddef.h>
#ifdef __WEFT_UPC__
/* Here upcc includes this before the program's first line, where _GNU_SOURCE and its like may be defined yet: no header
 * of the C library may come earlier. These are the same types as in <stdint.h>. */
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#else
#include <stdint.h>
#endif

#if !defined(__GNUC__)
#error "Weft's headers need a compiler with GNU C extensions (gcc or clang)."
#endif

/** @cond for the headers themselves */
#ifndef UPCR_PTHREADS
#define UPCR_PTHREADS 0
#endif

/* Without optimisation, copies of these functions at every access triple the time to compile and serve nothing. Tests
 * that compile many programs define UPCR_OUT_OF_LINE, which leaves the choice to the C compiler at every level. */
#if defined(__OPTIMIZE__) && !defined(UPCR_OUT_OF_LINE)
#define UPCR_INLINE static __inline__ __attribute__((always_inline, unused))
#else
#define UPCR_INLINE static __inline__ __attribute__((unused))
#endif
#define UPCR_COLD __attribute__((cold, noinline))
#define UPCR_LIKELY(x) (__builtin_expect(!!(x), 1) != 0)
/** @endcond */
/** Where the program is, for messages: file and line. Under `#line` this is the UPC source. */
#define UPCR_HERE __FILE__, __LINE__

/** @cond for the headers themselves */
#if defined(__cplusplus)
#define UPCR_THREAD_LOCAL __thread
extern "C" {
#else
#define UPCR_THREAD_LOCAL _Thread_local
#endif

/** @endcond */
/** What `upcr_view` has, for the calling thread. */
typedef struct upcr_view {
  char* base;     /**< thread t's segment is mapped at base + (t << shift); NULL unless that holds for every thread and
                       nothing wants to see each access (checks, statistics, trace) */
  uint64_t shift; /**< of base */
  char* self;     /**< this thread's own segment; always there */
  int mythread;   /**< MYTHREAD */
  int threads;    /**< THREADS */
  uint64_t divide_magic; /**< for division by THREADS, see upcr_divide_threads() */
  int divide_shift;      /**< the same */
  int checked;           /**< WEFT_CHECK=1 */
  int windowing; /**< some threads' memory is not mapped here, and nothing wants to see each access: loops may see
                      it through windows, and a thread's own memory is plain */
} upcr_view_t;

/** @cond the two objects */
#if UPCR_PTHREADS
extern UPCR_THREAD_LOCAL const upcr_view_t upcr_thread_view __attribute__((tls_model("initial-exec")));
#define upcr_view upcr_thread_view
#else
extern const upcr_view_t upcr_process_view;
#define upcr_view upcr_process_view
#endif
/** @endcond */

/** MYTHREAD.
 * @return 0 to THREADS - 1
 * @since 0.1 */
UPCR_INLINE int upcr_mythread(void) { return upcr_view.mythread; }
#ifdef UPCR_THREADS
UPCR_INLINE int upcr_threads(void) { return UPCR_THREADS; }
#else
/** THREADS. With static THREADS define UPCR_THREADS to the count before including any of these headers.
 * @return at least 1
 * @since 0.1 */
UPCR_INLINE int upcr_threads(void) { return upcr_view.threads; }
#endif

/** n / THREADS: one multiplication and a shift.
 *
 * With l = ceil(log2 THREADS) the magic number is ceil(2^(63 + l) / THREADS); the error of the product stays below one
 * for every such n.
 * @param n  0 <= n < 2^63
 * @return the quotient
 * @since 0.1 */
UPCR_INLINE uint64_t upcr_divide_threads(uint64_t n) {
#ifdef UPCR_THREADS
  return n / (uint64_t)UPCR_THREADS;
#else
  __extension__ typedef unsigned __int128 upcr_u128;
  return (uint64_t)((upcr_u128)(n << 1) * upcr_view.divide_magic >> 64) >> upcr_view.divide_shift;
#endif
}

/** floor(n / THREADS).
 * @param n  any number
 * @return the quotient
 * @since 0.1 */
UPCR_INLINE int64_t upcr_floor_threads(int64_t n) {
  uint64_t negative = (uint64_t)(n >> 63); /* all ones or zero; floor(n / d) = ~floor(~n / d) for n < 0 */
  return (int64_t)(upcr_divide_threads((uint64_t)n ^ negative) ^ negative);
}

/** n mod THREADS, never negative: the affinity of upc_forall with an integer.
 * @param n  any number
 * @return 0 to THREADS - 1
 * @since 0.1 */
UPCR_INLINE int upcr_mod_threads(int64_t n) { return (int)(n - upcr_floor_threads(n) * upcr_threads()); }

#if defined(__cplusplus)
}
#endif
#endif
