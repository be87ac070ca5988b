/**
 * @file
 * Simulated jobs: what a program may know of the machine that `weftrun --sim` puts under it (docs/SIMULATION.md). A
 * program needs none of this to be simulated.
 */
#ifndef WEFT_SIM_H
#define WEFT_SIM_H

#ifdef __cplusplus
extern "C" {
#endif

/** Which machine the job is simulated on, for the reports that a program writes: a JSON object with the keys
 * `simulated` (true), `platform` (as given to --sim), `machine` (its nodes, network and map, in one line), `contention`
 * (the factor by which the platform's network was calibrated; 1: none), `seed` and `compute` (as --sim-compute).
 *
 * Callable between init and finalize, by any thread.
 * @return the text, which stays until the job ends; NULL if the job runs for real
 * @since 0.2 */
const char* weft_simulated(void);

#ifdef __cplusplus
}
#endif
#endif
