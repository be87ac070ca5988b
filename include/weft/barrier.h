/**
 * @file
 * The barrier over all ranks, blocking and split-phase with value match.
 *
 * A barrier orders memory: blocking puts, and non-blocking ones that were waited for, made before a rank's notify
 * are visible to every rank after its wait. It does not complete outstanding operations. It is called by one thread of
 * each rank. weft/coll.h has barriers of teams.
 *
 * Source: UPC specification 6.6.1; algorithm: dissemination, Hensgen, Finkel and Manber 1988.
 */
#ifndef WEFT_BARRIER_H
#define WEFT_BARRIER_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of barriers. */
enum {
  WEFT_BARRIER_ANONYMOUS = 1u << 0 /**< the value does not take part: matches anything */
};

/** Notify and wait with WEFT_BARRIER_ANONYMOUS. Collective.
 * @return WEFT_OK, or WEFT_ERR_MISMATCH as weft_barrier_wait()
 * @since 0.1 */
int weft_barrier(void);

/** Tells that this rank has arrived. Collective.
 *
 * The notify and wait of one barrier alternate, are called with the same value and flags, and may have any other Weft
 * calls between them except another barrier.
 * @param value  compared with that of the other ranks
 * @param flags  WEFT_BARRIER_ANONYMOUS, or 0
 * @return WEFT_OK
 * @since 0.1 */
int weft_barrier_notify(int32_t value, unsigned flags);
/** Waits for all ranks' notify. The barrier is over when it returns, whatever it returns.
 * @param value  as given to this rank's notify
 * @param flags  as given to this rank's notify
 * @return WEFT_OK; WEFT_ERR_MISMATCH, on every rank, if two ranks gave different values, none of them anonymous; or on
 *         this rank if value or flags differ from its own notify
 * @since 0.1 */
int weft_barrier_wait(int32_t value, unsigned flags);
/** Asks, after one round of progress, whether all ranks have arrived; if so, the barrier is over.
 * @param value  as given to this rank's notify
 * @param flags  as given to this rank's notify
 * @return 1 if it is over, or WEFT_ERR_MISMATCH as weft_barrier_wait(); else 0, and the barrier goes on
 * @since 0.1 */
int weft_barrier_try(int32_t value, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
