/**
 * @file
 * Elements at any places: how a loop accesses b[index[i]] where memory is not mapped.
 *
 * Before some iterations of a loop (a strip) its places are listed, one per iteration. Elements whose memory is known
 * to be mapped, or kept by this thread, are found at once. upcr_gather_fetch() fetches what lies elsewhere with one
 * operation per thread, and says where each iteration finds its element; upcr_gather_end() puts back what they have
 * written, in their order, and waits until it is in place. Order and threads: as for windows
 * (weft/upcrt/window.h), which may be open at the same time.
 */
#ifndef WEFT_UPCRT_GATHER_H
#define WEFT_UPCRT_GATHER_H

#include <weft/upcrt/window.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** @cond Pages of memory that are mapped, or kept whole by this thread, by upcr_page_slot(). */
#define UPCR_KNOWN_PAGES 256
#define UPCR_PAGE 4096
typedef struct upcr_known_page {
  uint64_t key; /* of upcr_page_key() */
  char* at;
  uint64_t kept; /* all ones if it is a copy, which the next fetch may replace, else 0 */
  uint64_t reads;
} upcr_known_page_t;
UPCR_INLINE uint64_t upcr_page_key(upcr_pts_t p) { return upcr_thread(p) << 40 | p.offset / UPCR_PAGE; }
UPCR_INLINE uint64_t upcr_page_slot(upcr_pts_t p) {
  return (p.offset / UPCR_PAGE + 97 * upcr_thread(p)) % UPCR_KNOWN_PAGES;
}
/** @endcond */

/** One access of a loop. */
typedef struct upcr_gather {
  upcr_pts_t* places;       /**< set by upcr_gather_begin(): where the loop writes the place of each iteration */
  char** at;                /**< set by upcr_gather_fetch(): where each iteration finds its element */
  char* copies;             /**< set by upcr_gather_begin(): room for the element of each iteration */
  upcr_known_page_t* known; /**< the same: pages that need not be fetched */
  long missed;      /**< whether the strip has elements in others; 1 unless upcr_gather_place() says otherwise */
  uint64_t size;    /**< bytes of an element */
  unsigned flags;   /**< UPCR_WINDOW_READ or UPCR_WINDOW_WRITTEN */
  int line;         /**< of the source, for messages */
  const char* file; /**< the same */
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
  gather.copies = NULL;
  gather.known = NULL;
  gather.missed = 0;
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
/** Lists the place of an iteration of an access that reads.
 * @param gather      the access, or a copy of it
 * @param iteration   of the strip
 * @param p           the place
 * @param size        bytes of an element
 * @return 0 if the iteration has found its element, else 1
 * @since 0.2 */
UPCR_INLINE long upcr_gather_place(const upcr_gather_t* gather, long iteration, upcr_pts_t p, uint64_t size) {
  const uint64_t key = upcr_page_key(p), in_page = p.offset % UPCR_PAGE;
  upcr_known_page_t* const page = &gather->known[upcr_page_slot(p)];
  const uintptr_t copy = (uintptr_t)gather->copies + (uint64_t)iteration * size;
  const uintptr_t there = (uintptr_t)page->at + in_page;
  gather->places[iteration] = p;
  if (size > 64) return 1; /* a copy costs more than it saves */
  if (__builtin_expect(page->key != key || in_page + size > UPCR_PAGE, 0)) return 1;
  ++page->reads;
  __builtin_memcpy((void*)copy, (const void*)there, size);
  gather->at[iteration] = (char*)(there ^ ((there ^ copy) & page->kept)); /* no branch: threads take turns at random */
  return 0;
}
/** Fetches the elements whose places have been listed, of accesses that have missed some.
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
