/**
 * @file
 * Simulated jobs: what a program may know of the machine that `weftrun --sim` puts under it (docs/SIMULATION.md). A
 * program needs none of this to be simulated.
 */
#ifndef WEFT_SIM_H
#define WEFT_SIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which machine the job is simulated on, for the reports that a program writes: a JSON object with the keys
 * `simulated` (true), `platform` (as given to --sim), `machine` (its nodes, network and map, in one line), `contention`
 * (the factor by which the platform's network was calibrated; 1: none), `seed`, `compute` (as --sim-compute) and `data`
 * (as --sim-data).
 *
 * Callable between init and finalize, by any thread.
 * @return the text, which stays until the job ends; NULL if the job runs for real
 * @since 0.2 */
const char* weft_simulated(void);

/** Whether large arrays have data. Callable between init and finalize, by any thread.
 * @return 0 in a job that is simulated without data (--sim-data none); else 1
 * @since 0.2 */
int weft_sim_has_data(void);

/** Says that memory is a large array whose values do not change what the program does. In a job that is simulated
 * without data the array has no data from then on. Transfers from it and to it take their time and move nothing. The
 * program must neither load nor store there. In jobs of up to 4,096 ranks a load or store ends the job with a line. A
 * get from there to memory with data ends the job, too. Other jobs keep the data, and nothing changes.
 *
 * Not collective. Freeing the memory with weft_free() or weft_free_symmetric() takes it back if the array begins where
 * the memory does.
 * @param address  where the array begins: in this rank's segment, or in pages that the program has for it alone
 * @param size     bytes
 * @return 1 if the array has no data now; 0 if it has, and is to be computed with
 * @since 0.2 */
int weft_sim_drop_data(void* address, size_t size);

/** Takes back weft_sim_drop_data(): the memory may be used for anything. What it holds is undefined.
 * @param address  as it was given there
 * @since 0.2 */
void weft_sim_restore_data(void* address);

/** Says what the rank has just computed. With --sim-compute model this is what computation takes: the operations at the
 * speed of the platform's processors, and the bytes at the speed at which all ranks of a node copy together. In other
 * jobs it does nothing.
 * @param operations  in floating point
 * @param bytes       copied in memory
 * @since 0.2 */
void weft_sim_compute(double operations, double bytes);

#ifdef __cplusplus
}
#endif
#endif
