/* The barrier over all ranks, blocking and split-phase with value match.
 *
 * A barrier orders memory: blocking puts, and non-blocking ones that were waited for, made before a rank's notify
 * are visible to every rank after its wait. It does not complete outstanding operations.
 * Source: UPC specification 6.6.1; algorithm: dissemination, Hensgen, Finkel and Manber 1988. */
#ifndef WEFT_BARRIER_H
#define WEFT_BARRIER_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WEFT_BARRIER_ANONYMOUS = 1u << 0 /* the value does not take part: matches anything */
};

/* Notify and wait with WEFT_BARRIER_ANONYMOUS. Collective; called by one thread of each rank. */
int weft_barrier(void);

/* Tells that this rank has arrived. The notify and wait of one barrier alternate, are called with the same value
 * and flags, and may have any other Weft calls between them except another barrier. */
int weft_barrier_notify(int32_t value, unsigned flags);
/* Waits for all ranks' notify. WEFT_ERR_MISMATCH, on every rank, if two ranks gave different values, none of them
 * anonymous; or on this rank if value or flags differ from its own notify. The barrier is over either way. */
int weft_barrier_wait(int32_t value, unsigned flags);
/* If all ranks have arrived as wait, but with 1 in place of WEFT_OK; else 0, after one round of progress, and the
 * barrier goes on. */
int weft_barrier_try(int32_t value, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
