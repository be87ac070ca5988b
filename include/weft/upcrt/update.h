/**
 * @file
 * Updates at any places: how a loop does H[e] op= v where memory is not mapped.
 *
 * upcr_update() keeps an update of another thread's memory; the thread that owns it carries out many of them for one
 * message. Updates of one location take effect in the order of the calls, all of them when upcr_updates_finish()
 * returns. In between the thread must not access those locations by other means, nor call anything that synchronises.
 * A location that another thread accesses at the same time holds what one of the two leaves there, as after a read and
 * a write (UPC 5.1.2.3); updates of other threads' memory are atomic among themselves. Order and threads otherwise: as
 * for windows (weft/upcrt/window.h), which may be open at the same time.
 */
#ifndef WEFT_UPCRT_UPDATE_H
#define WEFT_UPCRT_UPDATE_H

#include <weft/upcrt/access.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** What is done to an object x, with an operand a. Arithmetic on integers wraps. */
typedef enum upcr_update_op {
  UPCR_UPDATE_ADD, /**< x + a */
  UPCR_UPDATE_SUB, /**< x - a */
  UPCR_UPDATE_INC, /**< x + 1 */
  UPCR_UPDATE_DEC, /**< x - 1 */
  UPCR_UPDATE_AND, /**< x & a */
  UPCR_UPDATE_OR,  /**< x | a */
  UPCR_UPDATE_XOR  /**< x ^ a */
} upcr_update_op_t;

/** Types of objects and operands. The bitwise operations are for integers. */
typedef enum upcr_update_type {
  UPCR_UPDATE_U32, /**< integers of 4 bytes */
  UPCR_UPDATE_U64, /**< integers of 8 bytes */
  UPCR_UPDATE_F32, /**< float */
  UPCR_UPDATE_F64  /**< double */
} upcr_update_type_t;

/** Updates an object, at the latest in upcr_updates_finish().
 * @param place    the object
 * @param op       what to do
 * @param type     of the object
 * @param operand  a value of that type; ignored by UPCR_UPDATE_INC and UPCR_UPDATE_DEC
 * @param file     of the source, for messages; UPCR_HERE gives both
 * @param line     in it
 * @since 0.2 */
void upcr_update(upcr_pts_t place, upcr_update_op_t op, upcr_update_type_t type, const void* operand, const char* file,
                 int line);
/** upc_atomic_relaxed() with no result, of UPC_ADD, UPC_SUB, UPC_INC, UPC_DEC, UPC_AND, UPC_OR or UPC_XOR, at the
 * latest in upcr_updates_finish(). Several of one integer may become one. Updates of memory that is mapped wait only if
 * they are `apart`.
 * @param domain   an atomicity domain
 * @param op       of its operations
 * @param target   the object
 * @param operand  as of upc_atomic_relaxed()
 * @param apart    nothing else accesses the object until upcr_updates_finish(), through private pointers either
 * @param file     of the source, for messages; UPCR_HERE gives both
 * @param line     in it
 * @since 0.2 */
void upcr_atomic_update(upcr_pts_t domain, int op, upcr_pts_t target, const void* operand, int apart, const char* file,
                        int line);
/** Returns when all updates of the calling thread are in place.
 * @since 0.2 */
void upcr_updates_finish(void);

#if defined(__cplusplus)
}
#endif
#endif
