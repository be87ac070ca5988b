/* Remote atomic operations.
 *
 * A domain names a type and the set of operations that may be applied to a location through it. All concurrent
 * accesses to a location must go through domains of one type; that lets a network's own atomics serve where they
 * beat the processor's. Locations are naturally aligned.
 *
 * Each operation atomically replaces the location's value x by the value below; with a `result` it also fetches x.
 *   GET x   SET a   SWAP a   CSWAP x == b ? a : x   ADD x+a   SUB x-a   INC x+1   DEC x-1   MIN min(x,a)
 *   MAX max(x,a)   AND x&a   OR x|a   XOR x^a
 * (a is `operand`, b is `compare`.) Integer arithmetic wraps. AND, OR and XOR are for integer types. CSWAP of a
 * floating type compares by value.
 *
 * Memory order: an operation is sequentially consistent with respect to other atomics on the location; earlier
 * blocking puts of the thread are visible to whoever observes its effect.
 * Source: GASNet-EX remote atomics; UPC <upc_atomic.h>. */
#ifndef WEFT_ATOMIC_H
#define WEFT_ATOMIC_H

#include <weft/detail/context.h>
#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_atomic_op {
  WEFT_ATOMIC_GET = 0,
  WEFT_ATOMIC_SET = 1,
  WEFT_ATOMIC_SWAP = 2,
  WEFT_ATOMIC_CSWAP = 3,
  WEFT_ATOMIC_ADD = 4,
  WEFT_ATOMIC_SUB = 5,
  WEFT_ATOMIC_INC = 6,
  WEFT_ATOMIC_DEC = 7,
  WEFT_ATOMIC_MIN = 8,
  WEFT_ATOMIC_MAX = 9,
  WEFT_ATOMIC_AND = 10,
  WEFT_ATOMIC_OR = 11,
  WEFT_ATOMIC_XOR = 12
} weft_atomic_op_t;

/* The bit of an operation in the set given to weft_atomic_domain_create(), and the sets one asks for most. */
#define WEFT_ATOMIC_BIT(op) (1u << (op))
#define WEFT_ATOMIC_OPS_ALL 0x1fffu
#define WEFT_ATOMIC_OPS_FLOAT 0x03ffu

typedef struct weft_atomic_domain weft_atomic_domain_t;

/* Collective; same arguments on all ranks. WEFT_ERR_INVALID for an operation that the type does not have. */
int weft_atomic_domain_create(weft_type_t type, unsigned ops, weft_atomic_domain_t** domain);
/* Collective. All operations of the domain must be complete. A domain that was destroyed already ends the job with a
 * line. */
int weft_atomic_domain_destroy(weft_atomic_domain_t* domain);
/* 1 if operations on this peer's memory are done by the processor here, without the peer's attention. */
int weft_atomic_is_direct(const weft_atomic_domain_t* domain, weft_rank_t peer);

/* Applies op to the location at `offset` of `peer`. `operand`, `compare` and `result` point to values of the
 * domain's type, or are NULL where the operation has none (result: NULL = do not fetch; GET needs it). The blocking
 * form returns when the operation has taken effect and *result is set. The _nb and _nbi forms read the operands
 * before they return; *result is set at completion. flags: WEFT_IMMEDIATE. Misuse ends the job. */
int weft_atomic(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset, weft_atomic_op_t op,
                const void* operand, const void* compare);
int weft_atomic_nb(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
                   weft_atomic_op_t op, const void* operand, const void* compare, unsigned flags,
                   weft_handle_t* handle);
int weft_atomic_nbi(const weft_atomic_domain_t* domain, void* result, weft_rank_t peer, size_t offset,
                    weft_atomic_op_t op, const void* operand, const void* compare, unsigned flags);

/* ---- The two that programs use most, inline where the memory is mapped ---- */

uint64_t weft_detail_atomic_fetch_add64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                        uint64_t operand);
uint64_t weft_detail_atomic_compare_swap64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                           uint64_t expected, uint64_t desired);

/* Adds and returns the value before; compares with `expected`, stores `desired` if equal, and returns the value
 * before. The domain's type must be WEFT_U64 or WEFT_I64. */
static inline uint64_t weft_atomic_fetch_add64(const weft_atomic_domain_t* domain, weft_rank_t peer, size_t offset,
                                               uint64_t operand) {
  const uint64_t map = weft_detail_map;
  if (__builtin_expect(map != 0, 1))
    return __atomic_fetch_add((uint64_t*)(void*)weft_detail_at(map, peer, offset), operand, __ATOMIC_SEQ_CST);
  return weft_detail_atomic_fetch_add64(domain, peer, offset, operand);
}

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

#ifdef __cplusplus
}
#endif
#endif
