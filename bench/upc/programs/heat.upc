/* Heat in a rod of examples/upc/heat_forall.upc beside a version by hand, in the manner of examples/upc/heat.upc:
 * private pointers, end cells put into the neighbours' halos while the inside is computed. */
#include "../hosts/measure.h"
#include "sizes.h"

#define main example_main
#include "../../../examples/upc/heat_forall.upc"
#undef main

shared [CELLS + 2] double halo_rod[2][THREADS][CELLS + 2];
static double outcome[CELLS];
static int by_hand; /* the last turn was */

static double *own_cells(int which) { return (double *)&rod[which][CELLS * MYTHREAD]; }
static double *own_halo_cells(int which) { return (double *)halo_rod[which][MYTHREAD]; }

static void prepare(void) {
  for (int which = 0; which < 2; which++) {
    for (int i = 0; i < CELLS; i++) own_cells(which)[i] = 0;
    for (int i = 0; i < CELLS + 2; i++) own_halo_cells(which)[i] = 0;
  }
  if (MYTHREAD == 0) own_cells(0)[CELLS / 2] = own_halo_cells(0)[CELLS / 2 + 1] = 1;
  upc_barrier;
}

static double next(const double *u, int i) { return u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]); }

static void run_hand(void) {
  by_hand = 1;
  const int left = MYTHREAD > 0, right = MYTHREAD < THREADS - 1; /* neighbours; where there is none, the end stays */
  for (int step = 0; step < STEPS; step++) {
    const int from = step % 2;
    const double *restrict u = own_halo_cells(from);
    double *restrict v = own_halo_cells(1 - from);
    if (left) upc_memput(&halo_rod[from][MYTHREAD - 1][CELLS + 1], &u[1], sizeof *u);
    if (right) upc_memput(&halo_rod[from][MYTHREAD + 1][0], &u[CELLS], sizeof *u);
    upc_notify;
    for (int i = 2; i < CELLS; i++) v[i] = next(u, i);
    upc_wait;
    if (left) v[1] = next(u, 1);
    if (right) v[CELLS] = next(u, CELLS);
    upc_barrier; /* nobody puts into u before its neighbours have read it */
  }
}

static void run_naive(void) {
  by_hand = 0;
  run();
}

static void look(void) {
  const double *cells = by_hand ? own_halo_cells(STEPS % 2) + 1 : own_cells(STEPS % 2);
  memcpy(outcome, cells, sizeof outcome);
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  bench_kernel((kernel){"heat", (size_t)CELLS * STEPS, 1, 1, run_naive, run_hand, outcome, CELLS, look}, prepare);
  return bench_finish_hosts();
}
