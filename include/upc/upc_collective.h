/* <upc_collective.h>: collectives (UPC required libraries). */
#ifndef UPC_COLLECTIVE_H
#define UPC_COLLECTIVE_H

#include <upc.h>

/* Operations beside those of <upc_types.h>: a function of the caller's, commutative or not. */
#define UPC_FUNC 0x0200
#define UPC_NONCOMM_FUNC 0x0400

void upc_all_broadcast(shared void *restrict dst, shared const void *restrict src, size_t nbytes, upc_flag_t flags);
void upc_all_scatter(shared void *restrict dst, shared const void *restrict src, size_t nbytes, upc_flag_t flags);
void upc_all_gather(shared void *restrict dst, shared const void *restrict src, size_t nbytes, upc_flag_t flags);
void upc_all_gather_all(shared void *restrict dst, shared const void *restrict src, size_t nbytes, upc_flag_t flags);
void upc_all_exchange(shared void *restrict dst, shared const void *restrict src, size_t nbytes, upc_flag_t flags);
void upc_all_permute(shared void *restrict dst, shared const void *restrict src, shared const int *restrict perm,
                     size_t nbytes, upc_flag_t flags);

#define UPCR_REDUCTION(suffix, type)                                                                             \
  void upc_all_reduce##suffix(shared void *restrict dst, shared const void *restrict src, upc_op_t op,           \
                              size_t nelems, size_t blk_size, type (*func)(type, type), upc_flag_t flags);       \
  void upc_all_prefix_reduce##suffix(shared void *restrict dst, shared const void *restrict src, upc_op_t op,    \
                                     size_t nelems, size_t blk_size, type (*func)(type, type), upc_flag_t flags)

UPCR_REDUCTION(C, signed char);
UPCR_REDUCTION(UC, unsigned char);
UPCR_REDUCTION(S, signed short);
UPCR_REDUCTION(US, unsigned short);
UPCR_REDUCTION(I, signed int);
UPCR_REDUCTION(UI, unsigned int);
UPCR_REDUCTION(L, signed long);
UPCR_REDUCTION(UL, unsigned long);
UPCR_REDUCTION(F, float);
UPCR_REDUCTION(D, double);
UPCR_REDUCTION(LD, long double);
#undef UPCR_REDUCTION

#endif
