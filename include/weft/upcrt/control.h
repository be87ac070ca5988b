/* Control: barriers (UPC 6.6.1) and upc_forall (UPC 6.6.2). */
#ifndef WEFT_UPCRT_CONTROL_H
#define WEFT_UPCRT_CONTROL_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- Barriers. `named` is 1 if the statement has an expression, whose value is `value`; else both are 0. A mismatch,
 * or a notify and wait that do not alternate, ends the program with a message that names the place. ---- */
void upcr_notify(int named, int value, const char* file, int line);
void upcr_wait(int named, int value, const char* file, int line);
void upcr_barrier(int named, int value, const char* file, int line);

/* ---- upc_forall ----
 *
 *   upc_forall (init; condition; step; affinity) body
 * becomes
 *   { init;                                              (a declaration in init has this block as its scope)
 *     UPCR_FORALL(loop);                                 (only if the affinity is an expression)
 *     for (; condition; step)
 *       if (upcr_forall_integer(&loop, affinity)) body   (or upcr_forall_pointer)
 *   }
 * Affinity `continue` or none: an ordinary for. The object leaves the loop with its block, however control does, so a
 * loop body entered through calls sees how deep it is. An optimiser may replace the test by bounds: then
 * loop.controlling tells whether this loop divides the work (1) or a loop around it does (0: do every iteration). */
typedef struct upcr_forall {
  int controlling;
} upcr_forall_t;

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
#define UPCR_FORALL(loop) const upcr_forall_t loop __attribute__((cleanup(upcr_forall_leave))) = upcr_forall_enter()

UPCR_INLINE int upcr_forall_integer(const upcr_forall_t* loop, int64_t affinity) {
  int mine = upcr_mod_threads(affinity) == upcr_mythread();
  return mine | !loop->controlling;
}
/* For an affinity of type unsigned long or unsigned long long, which may exceed INT64_MAX. */
UPCR_INLINE int upcr_forall_unsigned(const upcr_forall_t* loop, uint64_t affinity) {
  int mine = affinity % (uint64_t)upcr_threads() == (uint64_t)upcr_mythread();
  return mine | !loop->controlling;
}
UPCR_INLINE int upcr_forall_pointer(const upcr_forall_t* loop, upcr_pts_t affinity) {
  return upcr_is_mine(affinity) | !loop->controlling;
}

/* For bounds in place of the test. The least i >= first with i mod THREADS == MYTHREAD (integer affinity i + shift:
 * pass first + shift and subtract shift again); in a loop that is not controlling, `first` itself. The step then is
 * upcr_forall_stride(). */
UPCR_INLINE int64_t upcr_forall_first(const upcr_forall_t* loop, int64_t first) {
  if (!loop->controlling) return first;
  return first + upcr_mod_threads((int64_t)upcr_mythread() - first);
}
UPCR_INLINE int64_t upcr_forall_stride(const upcr_forall_t* loop) { return loop->controlling ? upcr_threads() : 1; }

#if defined(__cplusplus)
}
#endif
#endif
