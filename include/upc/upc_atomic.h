/* <upc_atomic.h>: atomic operations on shared memory (UPC optional libraries). Allocating and freeing a domain costs no
 * communication. */
#ifndef UPC_ATOMIC_H
#define UPC_ATOMIC_H

#include <upc.h>

/* Operations beside those of <upc_types.h>. */
#define UPC_GET 0x00800
#define UPC_SET 0x01000
#define UPC_CSWAP 0x02000
#define UPC_SUB 0x04000
#define UPC_INC 0x08000
#define UPC_DEC 0x10000

typedef int upc_atomichint_t;
#define UPC_ATOMIC_HINT_DEFAULT 0
#define UPC_ATOMIC_HINT_LATENCY 1
#define UPC_ATOMIC_HINT_THROUGHPUT 2

upc_atomicdomain_t *upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops, upc_atomichint_t hints);
void upc_all_atomicdomain_free(upc_atomicdomain_t *ptr);
void upc_atomic_strict(upc_atomicdomain_t *domain, void *restrict fetch_ptr, upc_op_t op,
                       shared void *restrict target, const void *restrict operand1, const void *restrict operand2);
void upc_atomic_relaxed(upc_atomicdomain_t *domain, void *restrict fetch_ptr, upc_op_t op,
                        shared void *restrict target, const void *restrict operand1, const void *restrict operand2);
int upc_atomic_isfast(upc_type_t type, upc_op_t ops, shared void *addr);

#endif
