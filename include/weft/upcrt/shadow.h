/**
 * @file
 * Shadow mode (upcc -fupc-shadow): what the optimiser planned for a loop, compared with the loop element by element.
 *
 * The body of a loop runs once, as planned. Each planned access also says which object it would be element by element,
 * and upcr_shadow_at() looks whether it is: by address where the object is mapped here, else by value. The value that
 * it should have is what memory holds, changed by what the loop has written since its windows were opened. At the end
 * what was written must be in place, and no byte beside it may have been. Each iteration is counted, and compared with
 * those that the loop's own condition and affinity give. The first difference ends the job with a line.
 */
#ifndef WEFT_UPCRT_SHADOW_H
#define WEFT_UPCRT_SHADOW_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** What a planned access does, and how its values are printed. */
enum {
  UPCR_SHADOW_READ = 1,     /**< some access of this object reads it, so that the plan has to show its value */
  UPCR_SHADOW_WRITTEN = 2,  /**< ... writes it */
  UPCR_SHADOW_SIGNED = 4,   /**< a signed integer */
  UPCR_SHADOW_UNSIGNED = 8, /**< an unsigned one */
  UPCR_SHADOW_REAL = 16,    /**< a floating-point number; what is none of them is printed as bytes */
  UPCR_SHADOW_COPY = 32     /**< it looks at a copy of the object (weft/upcrt/replica.h), mapped or not */
};

/** The iterations of a loop. All zero at first. */
typedef struct upcr_shadow_loop {
  uint64_t expected;       /**< how many the thread has element by element */
  uint64_t expected_hash;  /**< of their indices, in order */
  uint64_t performed;      /**< how many ran as planned */
  uint64_t performed_hash; /**< of their indices, in order */
} upcr_shadow_loop_t;

/** An iteration that the thread has element by element.
 * @param loop   of the loop
 * @param index  its index
 * @since 0.2 */
UPCR_INLINE void upcr_shadow_expect(upcr_shadow_loop_t* loop, long index) {
  ++loop->expected;
  loop->expected_hash = (loop->expected_hash ^ (uint64_t)index) * 0x9e3779b97f4a7c15u;
}
/** An iteration that it runs as planned.
 * @param loop   of the loop
 * @param index  its index
 * @since 0.2 */
UPCR_INLINE void upcr_shadow_perform(upcr_shadow_loop_t* loop, long index) {
  ++loop->performed;
  loop->performed_hash = (loop->performed_hash ^ (uint64_t)index) * 0x9e3779b97f4a7c15u;
}
/** After both: ends the job if they differ.
 * @param loop  of the loop
 * @param file  of the source; UPCR_HERE gives both
 * @param line  in it
 * @since 0.2 */
void upcr_shadow_compare(const upcr_shadow_loop_t* loop, const char* file, int line);

/** Before the windows of a strip are opened, and after they have been closed: then what was written is in place.
 * @since 0.2 */
void upcr_shadow_begin(void);
/** See upcr_shadow_begin().
 * @since 0.2 */
void upcr_shadow_end(void);
/** At the end of each iteration between the two.
 * @since 0.2 */
void upcr_shadow_iterated(void);

/** Before a single read of an object, so that a difference is told with what is read.
 * @param object  the object
 * @param flags   UPCR_SHADOW_SIGNED and its like
 * @param text    the read as it is written
 * @return `object`
 * @since 0.2 */
upcr_pts_t upcr_shadow_named(upcr_pts_t object, unsigned flags, const char* text);

/** Where a planned access finds its object.
 * @param planned  the address
 * @param object   the object, element by element
 * @param size     bytes
 * @param flags    UPCR_SHADOW_*
 * @param text     the access as it is written
 * @param file     of the source; UPCR_HERE gives both
 * @param line     in it
 * @return `planned`; if the object is not there, or has another value, the job ends
 * @since 0.2 */
void* upcr_shadow_at(void* planned, upcr_pts_t object, size_t size, unsigned flags, const char* text, const char* file,
                     int line);

#if defined(__cplusplus)
}
#endif
#endif
