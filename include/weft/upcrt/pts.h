/**
 * @file
 * Pointers-to-shared: what they are and their arithmetic (UPC 6.4.2, 6.4.3).
 *
 * A pointer-to-shared is 16 bytes, aligned to 8: the byte offset in the segment of the thread that has the element,
 * that thread (24 bits), and the phase (40 bits). The null pointer is all zero; offset 0 holds no object. Pointers of
 * block size 1 and indefinite block size always have phase 0, and the functions for them rely on it.
 *
 * Every thread's share of an array starts at the same offset and is contiguous, so the arithmetic needs nothing but the
 * pointer, the block size and the size of the ultimate element. All sizes here are in bytes, all deltas and block sizes
 * in ultimate elements: for a pointer to an array multiply by the number of ultimate elements in it. Where block and
 * element_size are compile-time constants the divisions become multiplications or vanish.
 */
#ifndef WEFT_UPCRT_PTS_H
#define WEFT_UPCRT_PTS_H

#include <weft/upcrt/view.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** A pointer-to-shared. */
typedef struct upcr_pts {
  uint64_t offset; /**< bytes in the thread's segment */
  uint64_t where;  /**< thread in bits 0-23, phase in bits 24-63 */
} upcr_pts_t;

/** @cond for upcr_make() and its like */
#define UPCR_THREAD_BITS 24
#define UPCR_THREAD_MASK (((uint64_t)1 << UPCR_THREAD_BITS) - 1)
/** @endcond */
/** The largest block size, in elements. */
#define UPCR_MAX_BLOCK_SIZE (((int64_t)1 << 40) - 1)
/** The most threads. */
#define UPCR_MAX_THREADS (((int32_t)1 << UPCR_THREAD_BITS) - 1)

/** Where static shared objects start in every segment. What is before is no object. */
#define UPCR_STATIC_BASE ((uint64_t)65536)

/** A pointer-to-shared from its parts.
 * @param offset  bytes in the thread's segment
 * @param thread  the thread
 * @param phase   elements from the start of the block
 * @return the pointer
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_make(uint64_t offset, uint64_t thread, uint64_t phase) {
  upcr_pts_t p;
  p.offset = offset;
  p.where = phase << UPCR_THREAD_BITS | thread;
  return p;
}

/** The null pointer-to-shared.
 * @return the pointer
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_null(void) { return upcr_make(0, 0, 0); }
/** Null test: offset 0 holds no object on any thread. For if, !, &&, ||, ?: and comparison with 0.
 * @param p  the pointer
 * @return 1 if it is null, else 0
 * @since 0.1 */
UPCR_INLINE int upcr_is_null(upcr_pts_t p) { return p.offset == 0; }

/** The thread that has the element.
 * @param p  the pointer
 * @return the thread
 * @since 0.1 */
UPCR_INLINE uint64_t upcr_thread(upcr_pts_t p) { return p.where & UPCR_THREAD_MASK; }
/** The phase.
 * @param p  the pointer
 * @return elements from the start of the block
 * @since 0.1 */
UPCR_INLINE uint64_t upcr_phase(upcr_pts_t p) { return p.where >> UPCR_THREAD_BITS; }
/** Whether the calling thread has the element.
 * @param p  the pointer
 * @return 1 for yes, 0 for no
 * @since 0.1 */
UPCR_INLINE int upcr_is_mine(upcr_pts_t p) { return upcr_thread(p) == (uint64_t)upcr_mythread(); }

/** The same place with phase 0: casts that lose the phase, and upc_resetphase().
 * @param p  the pointer
 * @return the pointer with phase 0
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_resetphase(upcr_pts_t p) { return upcr_make(p.offset, upcr_thread(p), 0); }

/** `bytes` further on the same thread, phase 0: a member of a struct, an element of an indefinite array.
 * @param p      the pointer
 * @param bytes  how much further
 * @return the pointer
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_field(upcr_pts_t p, uint64_t bytes) {
  return upcr_make(p.offset + bytes, upcr_thread(p), 0);
}

/** @name Arithmetic
 * @{ */

/** p + delta for shared [] T *: phase 0 stays.
 * @param p             the pointer
 * @param delta         ultimate elements, may be negative
 * @param element_size  bytes of the ultimate element
 * @return the sum
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_add_indefinite(upcr_pts_t p, int64_t delta, uint64_t element_size) {
  upcr_pts_t r;
  r.offset = p.offset + (uint64_t)delta * element_size;
  r.where = p.where;
  return r;
}

/** p + delta for shared T *: block size 1.
 * @param p             the pointer
 * @param delta         ultimate elements, may be negative
 * @param element_size  bytes of the ultimate element
 * @return the sum
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_add_cyclic(upcr_pts_t p, int64_t delta, uint64_t element_size) {
  int64_t t = (int64_t)p.where + delta; /* phase 0: `where` is the thread */
  int64_t rounds = upcr_floor_threads(t);
  upcr_pts_t r;
  r.offset = p.offset + (uint64_t)rounds * element_size;
  r.where = (uint64_t)(t - rounds * upcr_threads());
  return r;
}

/** p + delta for shared [block] T *.
 * @param p             the pointer
 * @param delta         ultimate elements, may be negative
 * @param block         elements of a block, more than 0
 * @param element_size  bytes of the ultimate element
 * @return the sum
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_add_blocked(upcr_pts_t p, int64_t delta, uint64_t block, uint64_t element_size) {
  int64_t b = (int64_t)block;
  int64_t phase = (int64_t)upcr_phase(p);
  int64_t f = phase + delta;
  int64_t blocks = f / b - (f % b < 0);
  int64_t new_phase = f - blocks * b;
  int64_t t = (int64_t)upcr_thread(p) + blocks;
  int64_t rounds = upcr_floor_threads(t);
  return upcr_make(p.offset + (uint64_t)(new_phase - phase + rounds * b) * element_size,
                   (uint64_t)(t - rounds * upcr_threads()), (uint64_t)new_phase);
}

/** p + delta for any block size. Folds to one of the above when block is a constant.
 * @param p             the pointer
 * @param delta         ultimate elements, may be negative
 * @param block         elements of a block; 0 is indefinite
 * @param element_size  bytes of the ultimate element
 * @return the sum
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_add(upcr_pts_t p, int64_t delta, uint64_t block, uint64_t element_size) {
  if (block == 0) return upcr_add_indefinite(p, delta, element_size);
  if (block == 1) return upcr_add_cyclic(p, delta, element_size);
  return upcr_add_blocked(p, delta, block, element_size);
}

/** p + 1 (++) without a division.
 * @param p             the pointer
 * @param block         elements of a block; 0 is indefinite
 * @param element_size  bytes of the ultimate element
 * @return the sum
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_next(upcr_pts_t p, uint64_t block, uint64_t element_size) {
  if (block == 0) return upcr_add_indefinite(p, 1, element_size);
  uint64_t phase = upcr_phase(p) + 1, thread = upcr_thread(p), offset = p.offset + element_size;
  if (phase == block) {
    phase = 0;
    if (++thread == (uint64_t)upcr_threads())
      thread = 0;
    else
      offset -= block * element_size;
  }
  return upcr_make(offset, thread, phase);
}
/** p - 1 (--) without a division.
 * @param p             the pointer
 * @param block         elements of a block; 0 is indefinite
 * @param element_size  bytes of the ultimate element
 * @return the difference
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_previous(upcr_pts_t p, uint64_t block, uint64_t element_size) {
  if (block == 0) return upcr_add_indefinite(p, -1, element_size);
  uint64_t phase = upcr_phase(p), thread = upcr_thread(p), offset = p.offset - element_size;
  if (phase == 0) {
    phase = block;
    if (thread == 0)
      thread = (uint64_t)upcr_threads();
    else
      offset += block * element_size;
    --thread;
  }
  return upcr_make(offset, thread, phase - 1);
}

/** An element of an array whose element 0 is on thread 0: the subscript of a declared array, cheaper than upcr_add()
 * because nothing is negative.
 * @param offset        where element 0 is
 * @param index         in ultimate elements, from 0
 * @param block         elements of a block; 0 is indefinite
 * @param element_size  bytes of the ultimate element
 * @return the pointer to it
 * @since 0.1 */
UPCR_INLINE upcr_pts_t upcr_element(uint64_t offset, uint64_t index, uint64_t block, uint64_t element_size) {
  if (block == 0) return upcr_make(offset + index * element_size, 0, 0);
  uint64_t b = index / block, phase = index - b * block;
  uint64_t rounds = upcr_divide_threads(b), thread = b - rounds * (uint64_t)upcr_threads();
  if (thread > UPCR_THREAD_MASK) __builtin_unreachable(); /* upcr_thread() need not mask */
  return upcr_make(offset + (rounds * block + phase) * element_size, thread, phase);
}

/** p - q: divide the result by the number of ultimate elements in *p. p and q point into one array. The comparisons <,
 * <=, > and >= are those of the result with 0.
 * @param p             a pointer
 * @param q             another
 * @param block         elements of a block; 0 is indefinite
 * @param element_size  bytes of the ultimate element
 * @return ultimate elements from q to p
 * @since 0.1 */
UPCR_INLINE int64_t upcr_subtract(upcr_pts_t p, upcr_pts_t q, uint64_t block, uint64_t element_size) {
  int64_t size = (int64_t)element_size;
  int64_t bytes = (int64_t)(p.offset - q.offset);
  if (size == 0) return 0;
  if (block == 0) return bytes / size;
  int64_t phases = (int64_t)upcr_phase(p) - (int64_t)upcr_phase(q);
  int64_t threads = (int64_t)upcr_thread(p) - (int64_t)upcr_thread(q);
  /* Between the starts of their blocks lie whole rounds of `block` elements on every thread. */
  return (bytes / size - phases) * upcr_threads() + threads * (int64_t)block + phases;
}
/** p == q, which ignores the phase.
 * @param p  a pointer
 * @param q  another
 * @return 1 if they are equal, else 0
 * @since 0.1 */
UPCR_INLINE int upcr_equal(upcr_pts_t p, upcr_pts_t q) {
  return p.offset == q.offset && ((p.where ^ q.where) & UPCR_THREAD_MASK) == 0;
}

/** @} */

#if defined(__cplusplus)
}
#endif
#endif
