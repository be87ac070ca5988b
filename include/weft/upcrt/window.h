/**
 * @file
 * Windows: how a loop sees shared memory that is not mapped.
 *
 * UPC 5.1.2.3: relaxed accesses may be performed in any order, but for those of one thread to one location.
 *
 * A loop whose accesses move by a constant number of elements per iteration opens a window on each of them before some
 * of its iterations (a strip), and closes them behind. Memory that is mapped here shows through as it is. The rest is a
 * copy: upcr_windows_open() fetches, from each thread in one operation where the bytes lie together, what the strip
 * reads; upcr_windows_close() puts back what it has written, and nothing else, and waits until it is in place. Windows
 * that overlap share one copy, so iterations see what earlier ones have written, as they would in memory.
 *
 * If the loop goes on, upcr_windows_open() also begins to fetch what the next strip reads, unless this one writes
 * there. So nothing may order the accesses of two strips of a loop.
 *
 * Between the two a thread may use upcr_get_slow(), upcr_put_slow() and upcr_copy_slow(), which look into open windows,
 * and open others, which are closed first. It must not call anything else that accesses shared memory or
 * synchronises. Windows belong to the thread of the operating system that has opened them.
 */
#ifndef WEFT_UPCRT_WINDOW_H
#define WEFT_UPCRT_WINDOW_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** What iterations do with the object of a window; UPCR_WINDOW_WRITTEN implies that each of them writes the whole of
 * it.
 */
enum {
  UPCR_WINDOW_READ = 1,     /**< some may read it */
  UPCR_WINDOW_WRITTEN = 2,  /**< each writes it, after UPCR_WINDOW_READ where that is given, too */
  UPCR_WINDOW_CERTAIN = 4,  /**< each accesses it; else it may lie outside of any object */
  UPCR_WINDOW_REPEATED = 8, /**< set by upcr_window_repeated() */
  UPCR_WINDOW_UNUSED = 16   /**< set by upcr_window_unless() */
};

/** One access of a loop. */
typedef struct upcr_window {
  upcr_pts_t first;                /**< the object in the strip's first iteration */
  int64_t step;                    /**< ultimate elements from one iteration to the next; may be negative or 0 */
  uint64_t block;                  /**< elements of a block of the array; 0 is indefinite */
  uint64_t element_size;           /**< bytes of the ultimate element, which is the object */
  int64_t inner_step;              /**< the same from one iteration of a loop inside to the next */
  int64_t inner_count;             /**< iterations of that loop, for each of this one; 1 if there is none */
  unsigned flags;                  /**< UPCR_WINDOW_* */
  int line;                        /**< of the source, for messages */
  const char* file;                /**< the same */
  const struct upcr_window* outer; /**< a window of a loop around that shows the same, or NULL */
  char* const* base; /**< set by upcr_windows_open(): what is at `offset` of thread t is at base[t] + offset, if the
                          strip accesses objects of t; NULL if it showed too much */
} upcr_window_t;

/** The windows of one loop. All zero before the first strip. */
typedef struct upcr_windows {
  uint64_t strips; /**< how many there have been */
  int open;        /**< whether the strip has windows of its own, not only ones of a loop around it */
} upcr_windows_t;

/** Whether loops should open windows.
 * @return 0 if all memory is mapped, or if every access is to be checked; else 1
 * @since 0.2 */
UPCR_INLINE int upcr_windowing(void) { return upcr_view.windowing != 0; }

/** A window that is not open yet.
 * @param first         see upcr_window_t, as all of them
 * @param step          ultimate elements per iteration
 * @param block         elements of a block
 * @param element_size  bytes
 * @param flags         UPCR_WINDOW_*
 * @param file          of the source; UPCR_HERE gives both
 * @param line          in it
 * @return the window
 * @since 0.2 */
UPCR_INLINE upcr_window_t upcr_window_on(upcr_pts_t first, int64_t step, uint64_t block, uint64_t element_size,
                                         unsigned flags, const char* file, int line) {
  upcr_window_t window;
  window.first = first;
  window.step = step;
  window.block = block;
  window.element_size = element_size;
  window.inner_step = 0;
  window.inner_count = 1;
  window.flags = flags;
  window.line = line;
  window.file = file;
  window.outer = NULL;
  window.base = NULL;
  return window;
}
/** A window on what a loop inside accesses in all its iterations. The loop's own windows use it, if it has a base.
 * @param window  on its first iterations
 * @param count   its iterations, for each of the outer loop
 * @param step    ultimate elements from one of them to the next
 * @return the window
 * @since 0.2 */
UPCR_INLINE upcr_window_t upcr_window_repeated(upcr_window_t window, int64_t count, int64_t step) {
  window.flags |= UPCR_WINDOW_REPEATED;
  window.inner_count = count;
  window.inner_step = step;
  return window;
}
/** A window that need not be opened, because one of a loop around shows the same.
 * @param window  what to open if the other one has no base
 * @param outer   the other one, open
 * @return the window
 * @since 0.2 */
UPCR_INLINE upcr_window_t upcr_window_inside(upcr_window_t window, const upcr_window_t* outer) {
  window.outer = outer;
  return window;
}

/** A window through which nobody looks if what it would show is read from a copy of the array (weft/upcrt/replica.h).
 * @param window  what to open else
 * @param copied  whether it is
 * @return the window
 * @since 0.2 */
UPCR_INLINE upcr_window_t upcr_window_unless(upcr_window_t window, int copied) {
  if (copied) window.flags |= UPCR_WINDOW_UNUSED;
  return window;
}

/** Opens windows for the next strip of a loop.
 * @param loop        of the loop
 * @param windows     `count` of them, as upcr_window_on() makes them
 * @param count       at least 1
 * @param iterations  the loop still has, at least 1
 * @return the iterations of the strip, 1 to `iterations`
 * @since 0.2 */
long upcr_windows_open(upcr_windows_t* loop, upcr_window_t* windows, int count, long iterations);

/** Closes them: what they have written is in place then.
 * @param loop  of the loop
 * @since 0.2 */
void upcr_windows_close(upcr_windows_t* loop);

/** Where an object is that some iteration of the strip accesses.
 * @param window  the access's, open
 * @param p       the object
 * @return the address
 * @since 0.2 */
UPCR_INLINE char* upcr_window_at(const upcr_window_t* window, upcr_pts_t p) {
  /* An object that the loop does not access may be nowhere. */
  uint64_t thread = upcr_thread(p) < (uint64_t)upcr_threads() ? upcr_thread(p) : 0;
  return (char*)((uintptr_t)window->base[thread] + p.offset);
}

#if defined(__cplusplus)
}
#endif
#endif
