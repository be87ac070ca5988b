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
/** @cond What upcr_add_up() finds without a call: sums of one upc_atomic_relaxed() of a loop by the subscript of its
 * target. Entry k is of subscripts i with i mod UPCR_SUMS = k; one that holds none has another subscript. */
#define UPCR_SUMS 256
typedef struct upcr_sum {
  int64_t index;
  uint64_t value;
} upcr_sum_t;
typedef struct upcr_sums {
  upcr_sum_t of[UPCR_SUMS];
  uint32_t left; /* how many updates may wait for others before all are sent; 0 before the first */
  uint32_t size; /* bytes of an operand */
} upcr_sums_t;
extern UPCR_THREAD_LOCAL upcr_sums_t upcr_sums __attribute__((tls_model("initial-exec")));
/** @endcond */
/** Adds an update up, if the calling thread has begun a sum for its target: no call, nor is its address computed. All
 * updates of a loop that do so are of one array, one domain and one operation, and `apart` (upcr_atomic_update()).
 * @param index    subscript of the target
 * @param op       what to do
 * @param operand  as of upc_atomic_relaxed()
 * @return 1 if that is done; 0 if the same update is to be given to upcr_atomic_sum()
 * @since 0.2 */
UPCR_INLINE int upcr_add_up(int64_t index, upcr_update_op_t op, const void* operand) {
  upcr_sum_t* const sum = &upcr_sums.of[(uint64_t)index % UPCR_SUMS];
  uint64_t value = 0;
  if (__builtin_expect(sum->index != index || upcr_sums.left == 0, 0)) return 0;
  --upcr_sums.left;
  if (op != UPCR_UPDATE_INC && op != UPCR_UPDATE_DEC) {
    if (upcr_sums.size == sizeof value) {
      __builtin_memcpy(&value, operand, sizeof value);
    } else {
      uint32_t low;
      __builtin_memcpy(&low, operand, sizeof low);
      value = low;
    }
  }
  switch (op) {
    case UPCR_UPDATE_ADD:
      sum->value += value;
      break;
    case UPCR_UPDATE_SUB:
      sum->value -= value;
      break;
    case UPCR_UPDATE_INC:
      ++sum->value;
      break;
    case UPCR_UPDATE_DEC:
      --sum->value;
      break;
    case UPCR_UPDATE_AND:
      sum->value &= value;
      break;
    case UPCR_UPDATE_OR:
      sum->value |= value;
      break;
    case UPCR_UPDATE_XOR:
      sum->value ^= value;
      break;
  }
  return 1;
}
/** upcr_atomic_update() with `apart`, for what upcr_add_up() has not done. It begins a sum where it can.
 * @param domain   an atomicity domain
 * @param op       of its operations
 * @param target   the object
 * @param operand  as of upc_atomic_relaxed()
 * @param index    subscript of the target
 * @param file     of the source, for messages; UPCR_HERE gives both
 * @param line     in it
 * @since 0.2 */
void upcr_atomic_sum(upcr_pts_t domain, int op, upcr_pts_t target, const void* operand, int64_t index, const char* file,
                     int line) __attribute__((cold));
/** Returns when all updates of the calling thread are in place.
 * @since 0.2 */
void upcr_updates_finish(void);

#if defined(__cplusplus)
}
#endif
#endif
