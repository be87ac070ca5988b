/**
 * @file
 * Barriers (UPC 6.6.1) and upc_forall (UPC 6.6.2).
 */
#ifndef WEFT_UPCRT_CONTROL_H
#define WEFT_UPCRT_CONTROL_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** @name Barriers
 * A mismatch, or a notify and wait that do not alternate, ends the program with a message that names the place.
 * @{ */

/** Performs the statement upc_notify.
 * @param named  1 if the statement has an expression, else 0
 * @param value  of the expression, or 0
 * @param file   of the source, for messages; UPCR_HERE gives both
 * @param line   in it
 * @since 0.1 */
void upcr_notify(int named, int value, const char* file, int line);
/** Performs the statement upc_wait.
 * @param named  1 if the statement has an expression, else 0
 * @param value  of the expression, or 0
 * @param file   of the source, for messages; UPCR_HERE gives both
 * @param line   in it
 * @since 0.1 */
void upcr_wait(int named, int value, const char* file, int line);
/** Performs the statement upc_barrier.
 * @param named  1 if the statement has an expression, else 0
 * @param value  of the expression, or 0
 * @param file   of the source, for messages; UPCR_HERE gives both
 * @param line   in it
 * @since 0.1 */
void upcr_barrier(int named, int value, const char* file, int line);

/** @} */

/** @name upc_forall
 * @verbatim
 *   upc_forall (init; condition; step; affinity) body
 * becomes
 *   { init;                                              (a declaration in init has this block as its scope)
 *     UPCR_FORALL(loop);                                 (only if the affinity is an expression)
 *     for (; condition; step)
 *       if (upcr_forall_integer(&loop, affinity)) body   (or upcr_forall_pointer)
 *   }
 * @endverbatim
 * Affinity `continue` or none: an ordinary for. The object leaves the loop with its block, however control does, so a
 * loop body entered through calls sees how deep it is. An optimiser may replace the test by bounds: then
 * loop.controlling tells whether this loop divides the work (1) or a loop around it does (0: do every iteration).
 * @{ */

/** What a loop knows of those around it. */
typedef struct upcr_forall {
  int controlling; /**< 1 if this loop divides the work */
} upcr_forall_t;

/** @cond */
extern UPCR_THREAD_LOCAL int upcr_forall_depth __attribute__((tls_model("initial-exec")));

UPCR_INLINE upcr_forall_t upcr_forall_enter(void) {
  upcr_forall_t loop;
  loop.controlling = upcr_forall_depth++ == 0;
  return loop;
}
UPCR_INLINE void upcr_forall_leave(const upcr_forall_t* loop) {
  (void)loop;
  --upcr_forall_depth;
}
/** @endcond */
/** Declares the object of a loop. */
#define UPCR_FORALL(loop) const upcr_forall_t loop __attribute__((cleanup(upcr_forall_leave))) = upcr_forall_enter()

/** The test of an integer affinity.
 * @param loop      the object of the loop
 * @param affinity  its value
 * @return not 0 if this thread does the iteration
 * @since 0.1 */
UPCR_INLINE int upcr_forall_integer(const upcr_forall_t* loop, int64_t affinity) {
  int mine = upcr_mod_threads(affinity) == upcr_mythread();
  return mine | !loop->controlling;
}
/** The test of an affinity of type unsigned long or unsigned long long, which may exceed INT64_MAX.
 * @param loop      the object of the loop
 * @param affinity  its value
 * @return not 0 if this thread does the iteration
 * @since 0.1 */
UPCR_INLINE int upcr_forall_unsigned(const upcr_forall_t* loop, uint64_t affinity) {
  int mine = affinity % (uint64_t)upcr_threads() == (uint64_t)upcr_mythread();
  return mine | !loop->controlling;
}
/** The test of an affinity that is a pointer-to-shared.
 * @param loop      the object of the loop
 * @param affinity  its value
 * @return not 0 if this thread does the iteration
 * @since 0.1 */
UPCR_INLINE int upcr_forall_pointer(const upcr_forall_t* loop, upcr_pts_t affinity) {
  return upcr_is_mine(affinity) | !loop->controlling;
}

/** For bounds in place of the test: the first iteration. The step then is upcr_forall_stride().
 *
 * Integer affinity i + shift: pass first + shift and subtract shift again.
 * @param loop   the object of the loop
 * @param first  where i begins
 * @return the least i >= first with i mod THREADS == MYTHREAD; in a loop that is not controlling, `first` itself
 * @since 0.1 */
UPCR_INLINE int64_t upcr_forall_first(const upcr_forall_t* loop, int64_t first) {
  if (!loop->controlling) return first;
  return first + upcr_mod_threads((int64_t)upcr_mythread() - first);
}
/** For bounds in place of the test: the step.
 * @param loop  the object of the loop
 * @return THREADS, or 1 in a loop that is not controlling
 * @since 0.1 */
UPCR_INLINE int64_t upcr_forall_stride(const upcr_forall_t* loop) { return loop->controlling ? upcr_threads() : 1; }

/** @} */

#if defined(__cplusplus)
}
#endif
#endif
