/* Loops over a thread's own elements, in each way to say which are its own, on a cyclic and on a blocked array. By
 * hand: private pointers to the thread's part. The twin is plain C. */
#include "measure.h"

#define BLOCK 64
#define TOTAL (N * THREADS)
shared double x[TOTAL], y[TOTAL];
shared [BLOCK] double u[TOTAL], v[TOTAL];

static void prepare(void) {
  double *parts[] = {(double *)&x[MYTHREAD], (double *)&y[MYTHREAD], (double *)&u[MYTHREAD * BLOCK],
                     (double *)&v[MYTHREAD * BLOCK]};
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < N; i++) parts[a][i] = input(MYTHREAD * N + i + a % 2);
}

static void cyclic_index(void) {
  upc_forall (int i = 0; i < TOTAL; i++; i) y[i] += 2 * x[i];
}
static void cyclic_address(void) {
  upc_forall (int i = 0; i < TOTAL; i++; &x[i]) y[i] += 2 * x[i];
}
static void cyclic_continue(void) {
  for (int i = 0; i < TOTAL; i++) {
    if (i % THREADS != MYTHREAD) continue;
    y[i] += 2 * x[i];
  }
}
static void cyclic_threadof(void) {
  for (int i = 0; i < TOTAL; i++)
    if (upc_threadof(&x[i]) == MYTHREAD) y[i] += 2 * x[i];
}
static void cyclic_pointer(void) {
  shared double *p = x, *q = y;
  upc_forall (int i = 0; i < TOTAL; i++; p + i) *(q + i) += 2 * *(p + i);
}
static void cyclic_hand(void) {
  const double *from = (const double *)&x[MYTHREAD];
  double *to = (double *)&y[MYTHREAD];
  for (int i = 0; i < N; i++) to[i] += 2 * from[i];
}

static void blocked_quotient(void) {
  upc_forall (int i = 0; i < TOTAL; i++; i / BLOCK) v[i] += 2 * u[i];
}
static void blocked_address(void) {
  upc_forall (int i = 0; i < TOTAL; i++; &u[i]) v[i] += 2 * u[i];
}
static void blocked_continue(void) {
  for (int i = 0; i < TOTAL; i++) {
    if (i / BLOCK % THREADS != MYTHREAD) continue;
    v[i] += 2 * u[i];
  }
}
static void blocked_threadof(void) {
  for (int i = 0; i < TOTAL; i++)
    if (upc_threadof(&u[i]) == MYTHREAD) v[i] += 2 * u[i];
}
static void blocked_pointer(void) {
  shared [BLOCK] double *p = u, *q = v;
  upc_forall (int i = 0; i < TOTAL; i++; p + i) *(q + i) += 2 * *(p + i);
}
static void blocked_hand(void) {
  const double *from = (const double *)&u[MYTHREAD * BLOCK];
  double *to = (double *)&v[MYTHREAD * BLOCK];
  for (int i = 0; i < N; i++) to[i] += 2 * from[i];
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  const void *cyclic = (const void *)&y[MYTHREAD], *blocked = (const void *)&v[MYTHREAD * BLOCK];
  bench_kernel((kernel){"own_cyclic_index", N, 1, OWN_CALLS, cyclic_index, cyclic_hand, cyclic, N}, prepare);
  bench_kernel((kernel){"own_cyclic_address", N, 1, OWN_CALLS, cyclic_address, cyclic_hand, cyclic, N}, prepare);
  bench_kernel((kernel){"own_cyclic_continue", N, 1, OWN_CALLS, cyclic_continue, cyclic_hand, cyclic, N}, prepare);
  bench_kernel((kernel){"own_cyclic_threadof", N, 1, OWN_CALLS, cyclic_threadof, cyclic_hand, cyclic, N}, prepare);
  bench_kernel((kernel){"own_cyclic_pointer", N, 1, OWN_CALLS, cyclic_pointer, cyclic_hand, cyclic, N}, prepare);
  bench_kernel((kernel){"own_blocked_quotient", N, 1, OWN_CALLS, blocked_quotient, blocked_hand, blocked, N}, prepare);
  bench_kernel((kernel){"own_blocked_address", N, 1, OWN_CALLS, blocked_address, blocked_hand, blocked, N}, prepare);
  bench_kernel((kernel){"own_blocked_continue", N, 1, OWN_CALLS, blocked_continue, blocked_hand, blocked, N}, prepare);
  bench_kernel((kernel){"own_blocked_threadof", N, 1, OWN_CALLS, blocked_threadof, blocked_hand, blocked, N}, prepare);
  bench_kernel((kernel){"own_blocked_pointer", N, 1, OWN_CALLS, blocked_pointer, blocked_hand, blocked, N}, prepare);
  return bench_finish_hosts();
}
