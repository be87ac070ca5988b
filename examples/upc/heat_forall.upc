/* Heat in a rod, the same as heat.upc, written the obvious way: two shared arrays, and a upc_forall that computes each
 * cell where it lies. The neighbours' end cells are remote reads, which upcc fetches in bulk. */
#include <stdio.h>
#include <upc.h>

#ifndef CELLS /* of a thread */
#define CELLS 100
#endif
#ifndef STEPS
#define STEPS 200
#endif
shared [CELLS] double rod[2][CELLS * THREADS];

static void run(void) {
  for (int step = 0; step < STEPS; step++) {
    const int from = step % 2, to = 1 - from;
    upc_forall (int i = 1; i < CELLS * THREADS - 1; i++; &rod[to][i])
      rod[to][i] = rod[from][i] + 0.25 * (rod[from][i - 1] - 2 * rod[from][i] + rod[from][i + 1]);
    upc_barrier;
  }
}

int main(void) {
  const int end = STEPS % 2;
  if (MYTHREAD == 0) rod[0][CELLS / 2] = 1; /* shared objects begin as zero */
  upc_barrier;
  run();
  if (MYTHREAD == 0) {
    double total = 0;
    for (int i = 0; i < CELLS * THREADS; i++) total += rod[end][i];
    printf("heat left in the rod: %.6f, centre %.6f: %s\n", total, rod[end][CELLS / 2],
           total <= 1 + 1e-12 && total > 0.99 ? "ok" : "wrong");
  }
  return 0;
}
