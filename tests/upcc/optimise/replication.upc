/* only when on: upcr_replica_at
 * only when on: upcr_replica_recall
 * either way: upcc_get_double */
#include <stdio.h>
#include <upc.h>
#define N 50
#define TURNS 30
shared double x[N * THREADS], y[N * THREADS];
static int place[N];
int main(void) {
  for (int i = 0; i < N; i++) place[i] = (int)(i * 7919L % N);
  upc_forall (int i = 0; i < N * THREADS; i++; &x[i]) {
    x[i] = i;
    y[i] = 2 * i;
  }
  upc_barrier;
  double dense = 0, sparse = 0, changed = 0, ordered = 0;
  if (MYTHREAD == THREADS - 1) {
    for (int turn = 0; turn < TURNS; turn++)
      for (int k = 0; k < N; k++) dense += (turn + k) * x[k];
    for (int turn = 0; turn < TURNS; turn++)
      for (int k = 0; k < N; k++) sparse += (turn + k) * x[place[k]];
    for (int turn = 0; turn < TURNS; turn++) { /* writes what it reads */
      for (int k = 0; k < N; k++) changed += y[place[k]];
      y[turn] += 1;
    }
    for (int turn = 0; turn < TURNS; turn++) { /* others may have written it */
      for (int k = 0; k < N; k++) ordered += y[place[k]];
      upc_fence;
    }
    printf("%.0f %.0f %.0f %.0f\n", dense, sparse, changed, ordered);
  }
  return 0;
}
