/* Heat in a rod: each thread owns a piece with one halo cell at either end. In every step it puts its end cells into
 * its neighbours' halos (upc_memput), waits for theirs, and computes in private memory: the pointer `mine` is a cast
 * of a pointer-to-shared with affinity to this thread. upc_notify and upc_wait let the inner cells be computed
 * meanwhile. */
#include <math.h>
#include <stdio.h>
#include <upc.h>

#define CELLS 100
#define STEPS 200
shared [CELLS + 2] double rod[2][THREADS][CELLS + 2];

static double next(const double *u, int i) { return u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]); }

int main(void) {
  double *mine[2] = {(double *)rod[0][MYTHREAD], (double *)rod[1][MYTHREAD]};
  for (int i = 0; i < CELLS + 2; i++) mine[0][i] = mine[1][i] = 0;
  if (MYTHREAD == 0) mine[0][CELLS / 2] = 1;
  for (int step = 0; step < STEPS; step++) {
    int from = step % 2, to = 1 - from;
    double *u = mine[from], *v = mine[to];
    if (MYTHREAD > 0) upc_memput(&rod[from][MYTHREAD - 1][CELLS + 1], &u[1], sizeof *u);
    if (MYTHREAD < THREADS - 1) upc_memput(&rod[from][MYTHREAD + 1][0], &u[CELLS], sizeof *u);
    upc_notify;
    for (int i = 2; i < CELLS; i++) v[i] = next(u, i);
    upc_wait;
    v[1] = next(u, 1);
    v[CELLS] = next(u, CELLS);
    upc_barrier; /* nobody puts into u before its neighbours have read it */
  }
  upc_barrier;
  if (MYTHREAD == 0) {
    double total = 0;
    for (int t = 0; t < THREADS; t++)
      for (int i = 1; i <= CELLS; i++) total += rod[STEPS % 2][t][i];
    printf("heat left in the rod: %.6f, centre %.6f: %s\n", total, rod[STEPS % 2][0][CELLS / 2],
           total <= 1 + 1e-12 && total > 0.99 ? "ok" : "wrong");
  }
  return 0;
}
