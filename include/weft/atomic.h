/**
 * @file
 * Remote atomic operations.
 *
 * A domain names a type and the set of operations that may be applied to a location through it. All concurrent
 * accesses to a location must go through domains of one type; that lets a network's own atomics serve where they
 * beat the processor's. Locations are naturally aligned.
 *
 * Memory order: an operation is sequentially consistent with respect to other atomics on the location; earlier
 * blocking puts of the thread are visible to whoever observes its effect.
 *
 * Misuse ends the job with a line: an operation that the domain was not created for, a location that is not aligned or
 * outside the segment, an operand that is needed and NULL. The 64-bit functions do not look where memory is mapped,
 * unless WEFT_CHECK=1.
 *
 * Source: GASNet-EX remote atomics; UPC's upc_atomic.h.
 */
#ifndef WEFT_ATOMIC_H
#define WEFT_ATOMIC_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Operations. Each atomically replaces the location's value x by the value given with its name; a is `operand`, b is
 * `compare`. With a `result` it also fetches x. Integer arithmetic wraps. AND, OR and XOR are for integer types. CSWAP
 * of a floating type compares by value. */
typedef enum weft_atomic_op {
  WEFT_ATOMIC_GET = 0,   /**< x */
  WEFT_ATOMIC_SET = 1,   /**< a */
  WEFT_ATOMIC_SWAP = 2,  /**< a */
  WEFT_ATOMIC_CSWAP = 3, /**< x == b ? a : x */
  WEFT_ATOMIC_ADD = 4,   /**< x + a */
  WEFT_ATOMIC_SUB = 5,   /**< x - a */
  WEFT_ATOMIC_INC = 6,   /**< x + 1 */
  WEFT_ATOMIC_DEC = 7,   /**< x - 1 */
  WEFT_ATOMIC_MIN = 8,   /**< min(x, a) */
  WEFT_ATOMIC_MAX = 9,   /**< max(x, a) */
  WEFT_ATOMIC_AND = 10,  /**< x & a */
  WEFT_ATOMIC_OR = 11,   /**< x | a */
  WEFT_ATOMIC_XOR = 12   /**< x ^ a */
} weft_atomic_op_t;

/** The bit of an operation in the set given to weft_atomic_domain_create(). */
#define WEFT_ATOMIC_BIT(op) (1u << (op))
/** The set of all operations: for integer types. */
#define WEFT_ATOMIC_OPS_ALL 0x1fffu
/** The set of all operations that floating types have. */
#define WEFT_ATOMIC_OPS_FLOAT 0x03ffu

/** A type and a set of operations. Made and destroyed by all ranks. */
typedef struct weft_atomic_domain weft_atomic_domain_t;

/** Makes a domain. Collective; same arguments on all ranks.
 * @param type         of the locations: WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64, WEFT_F32 or WEFT_F64
 * @param ops          the set of operations, of WEFT_ATOMIC_BIT() with `|`
 * @param[out] domain  the domain
 * @return WEFT_OK, or WEFT_ERR_INVALID, with a line logged, for a type that has no atomic operations, an empty set, or
 *         an operation that the type does not have
 * @since 0.1 */
int weft_atomic_domain_create(weft_type_t type, unsigned ops, weft_atomic_domain_t** domain);
/** Destroys a domain. Collective. All operations of the domain must be complete.
 * @param domain  what to destroy; one that was destroyed already ends the job with a line
 * @return WEFT_OK
 * @since 0.1 */
int weft_atomic_domain_destroy(weft_atomic_domain_t* domain);
/** Asks whether operations on a peer's memory are done by the processor here, without the peer's attention. Any thread,
 * handlers too.
 * @param domain  whose operations
 * @param peer    whose memory
 * @return 1 for yes, 0 for no
 * @since 0.1 */
int weft_atomic_is_direct(const weft_atomic_domain_t* domain, weft_rank_t peer);

/** Applies an operation to a location; returns when it has taken effect and the result is set.
 *
 * `operand`, `compare` and `result` point to values of the domain's type, or are NULL where the operation has none. All
 * forms read the operands before they return.
 * @param domain       which has the operation
 * @param[out] result  the value before, set at completion; NULL: do not fetch (WEFT_ATOMIC_GET needs it)
 * @param peer         whose segment
 * @param offset       the location
 * @param op           the operation
 * @param operand      a; not of WEFT_ATOMIC_GET, WEFT_ATOMIC_INC and WEFT_ATOMIC_DEC
 * @param compare      b, of WEFT_ATOMIC_CSWAP
 * @return WEFT_OK; from _nb and _nbi also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.1 */
int weft_atomic(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset, weft_atomic_op_t op,
                const void* operand, const void* compare);
/** weft_atomic() that returns when it is initiated; the handle completes it.
 * @copydetails weft_atomic
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_atomic_nb(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
                   weft_atomic_op_t op, const void* operand, const void* compare, unsigned flags,
                   weft_handle_t* handle);
/** weft_atomic() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_atomic
 * @param flags  WEFT_IMMEDIATE, or 0 */
int weft_atomic_nbi(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
                    weft_atomic_op_t op, const void* operand, const void* compare, unsigned flags);

/** @name Many locations of a peer at once
 *
 * For updates at places that the data decide: a histogram, a hash table, GUPS. Where the memory is not mapped, a list
 * costs a message per 16 KiB and not one per location. The peer's processor applies it when the peer calls Weft. Each
 * location goes on its own with `WEFT_PROGRESS=thread`, with `WEFT_ORDER=strict`, and on a network whose operations
 * need no message.
 *
 * Each update is atomic as that of weft_atomic(); the list is not. Locations may repeat. Updates of one thread to one
 * peer by these functions, within a list and of one list after another, leave what they would if applied in order.
 * @{ */

/** Applies an operation to a list of locations; returns when it has taken effect on all of them.
 *
 * Nothing is fetched. All forms read both lists before they return. A location that is not aligned or outside the
 * segment, an operation that the domain was not created for or that fetches, and a list that is NULL but has entries
 * end the job with a line.
 * @param domain    which has the operation
 * @param peer      whose segment
 * @param op        neither WEFT_ATOMIC_GET, WEFT_ATOMIC_SWAP nor WEFT_ATOMIC_CSWAP
 * @param count     locations; may be 0
 * @param offsets   where each is, in bytes
 * @param operands  `count` values of the domain's type; ignored by WEFT_ATOMIC_INC and WEFT_ATOMIC_DEC
 * @return WEFT_OK; from _nb and _nbi also WEFT_RETRY, but only with WEFT_IMMEDIATE: nothing was begun
 * @since 0.2 */
int weft_atomic_indexed(const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op, size_t count,
                        const size_t* offsets, const void* operands);
/** weft_atomic_indexed() that returns when it is initiated; the handle completes it.
 * @copydetails weft_atomic_indexed
 * @param flags        WEFT_IMMEDIATE, or 0
 * @param[out] handle  to wait for */
int weft_atomic_indexed_nb(const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op, size_t count,
                           const size_t* offsets, const void* operands, unsigned flags, weft_handle_t* handle);
/** weft_atomic_indexed() that returns when it is initiated; weft_nbi_wait() or a region completes it.
 * @copydetails weft_atomic_indexed
 * @param flags  WEFT_IMMEDIATE, or 0 */
int weft_atomic_indexed_nbi(const weft_atomic_domain_t* domain, weft_rank_t peer, weft_atomic_op_t op, size_t count,
                            const size_t* offsets, const void* operands, unsigned flags);

/** @} */

/** @name The two that programs use most, inline where the memory is mapped
 * @{ */

uint64_t weft_detail_atomic_fetch_add64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                        uint64_t operand);
uint64_t weft_detail_atomic_compare_swap64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                           uint64_t expected, uint64_t desired);

/** Adds to a location, blocking.
 * @param domain   of WEFT_U64 or WEFT_I64, with WEFT_ATOMIC_ADD
 * @param peer     whose segment
 * @param offset   the location
 * @param operand  what to add
 * @return the value before
 * @since 0.1 */
static inline uint64_t weft_atomic_fetch_add64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                               uint64_t operand) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1))
    return __atomic_fetch_add((uint64_t*)(void*)weft_detail_at(map, peer, offset), operand, __ATOMIC_SEQ_CST);
  return weft_detail_atomic_fetch_add64(domain, peer, offset, operand);
}

/** Compares a location with a value, and stores another one if they are equal, blocking.
 * @param domain    of WEFT_U64 or WEFT_I64, with WEFT_ATOMIC_CSWAP
 * @param peer      whose segment
 * @param offset    the location
 * @param expected  compared with the location
 * @param desired   stored there if it was equal
 * @return the value before
 * @since 0.1 */
static inline uint64_t weft_atomic_compare_swap64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                                  uint64_t expected, uint64_t desired) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1)) {
    uint64_t before = expected;
    __atomic_compare_exchange_n((uint64_t*)(void*)weft_detail_at(map, peer, offset), &before, desired, 0,
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return before;
  }
  return weft_detail_atomic_compare_swap64(domain, peer, offset, expected, desired);
}

/** @} */

#ifdef __cplusplus
}
#endif
#endif
