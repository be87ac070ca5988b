/**
 * @file
 * Elements at any places: how a loop accesses b[index[i]] where memory is not mapped.
 *
 * Before some iterations of a loop (a strip) its places are listed, one per iteration. upcr_gather_fetch() fetches what
 * lies elsewhere with one operation per thread, and says where each iteration finds its element; upcr_gather_end() puts
 * back what they have written, in their order, and waits until it is in place. Order and threads: as for windows
 * (weft/upcrt/window.h), which may be open at the same time.
 */
#ifndef WEFT_UPCRT_GATHER_H
#define WEFT_UPCRT_GATHER_H

#include <weft/upcrt/window.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** One access of a loop. */
typedef struct upcr_gather {
  upcr_pts_t* places; /**< set by upcr_gather_begin(): where the loop writes the place of each iteration */
  char** at;          /**< set by upcr_gather_fetch(): where each iteration finds its element */
  uint64_t size;      /**< bytes of an element */
  unsigned flags;     /**< UPCR_WINDOW_READ or UPCR_WINDOW_WRITTEN */
  int line;           /**< of the source, for messages */
  const char* file;   /**< the same */
} upcr_gather_t;

/** An access that no strip has begun for.
 * @param size   bytes of an element
 * @param flags  UPCR_WINDOW_READ or UPCR_WINDOW_WRITTEN
 * @param file   of the source; UPCR_HERE gives both
 * @param line   in it
 * @return the access
 * @since 0.2 */
UPCR_INLINE upcr_gather_t upcr_gather_on(uint64_t size, unsigned flags, const char* file, int line) {
  upcr_gather_t gather;
  gather.places = NULL;
  gather.at = NULL;
  gather.size = size;
  gather.flags = flags;
  gather.line = line;
  gather.file = file;
  return gather;
}

/** How many iterations a strip has at most.
 * @param iterations  that the loop still has
 * @return 1,024, or `iterations` if that is less
 * @since 0.2 */
UPCR_INLINE long upcr_gather_strip(long iterations) { return iterations < 1024 ? iterations : 1024; }

/** Begins a strip.
 * @param list        the accesses
 * @param count       how many
 * @param iterations  of the strip, at most what upcr_gather_strip() says
 * @since 0.2 */
void upcr_gather_begin(upcr_gather_t* list, int count, long iterations);
/** Fetches the elements whose places have been listed.
 * @param list        the accesses
 * @param count       how many
 * @param iterations  of the strip
 * @since 0.2 */
void upcr_gather_fetch(upcr_gather_t* list, int count, long iterations);
/** Ends a strip: what it has written is in place then.
 * @param list   the accesses
 * @param count  how many
 * @since 0.2 */
void upcr_gather_end(upcr_gather_t* list, int count);

#if defined(__cplusplus)
}
#endif
#endif
