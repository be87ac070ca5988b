/* The histogram of examples/upc/histogram.upc beside a version by hand: private counts, which the owners of the bins
 * fetch and add up. */
#include <upc_nb.h>

#include "../hosts/measure.h"
#include "sizes.h"

#define main example_main
#include "../../../examples/upc/histogram.upc"
#undef main

_Static_assert(BINS == HISTOGRAM_BINS && SAMPLES == HISTOGRAM_SAMPLES, "the twin in MPI has these");
shared [BINS] long counts[THREADS][BINS];

static void prepare(void) {
  long *own = (long *)&bins[MYTHREAD];
  for (int b = 0; b < BINS; b++) own[b] = 0;
}

static void run_hand(void) {
  long mine[BINS] = {0}, *own = (long *)counts[MYTHREAD], *own_bins = (long *)&bins[MYTHREAD];
  unsigned long state = 12345 + (unsigned long)MYTHREAD;
  for (int k = 0; k < SAMPLES; k++) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    mine[(state >> 33) % BINS]++;
  }
  memcpy(own, mine, sizeof mine);
  upc_barrier;
  for (int t = 0; t < THREADS; t++) {
    if (t != MYTHREAD) upc_memget(mine, counts[t], sizeof mine);
    else memcpy(mine, own, sizeof mine);
    for (int b = MYTHREAD; b < BINS; b += THREADS) own_bins[b / THREADS] += mine[b];
  }
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | UPC_INC, 0);
  bench_kernel((kernel){"count_atomic", SAMPLES, 1, 1, run, run_hand, (const void *)&bins[MYTHREAD], BINS}, prepare);
  return bench_finish_hosts();
}
