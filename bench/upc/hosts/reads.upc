/* Reads that the compiler does not see together, in a function: what a thread keeps of them (UPC_CACHE) must not cost
 * where it does not help, and helps where they lie near each other. */
#include "measure.h"

shared [FAR] double far[FAR * THREADS];
static int index_of[READS];
static double mine[N];

static __attribute__((noinline)) double far_value(int i) { return far[i]; }

static void prepare(void) { memset(mine, 0, sizeof mine); }

static void prepare_once(void) {
  random_indices(index_of, READS, FAR);
  double *own = (double *)&far[MYTHREAD * FAR];
  for (int i = 0; i < FAR; i++) own[i] = input(MYTHREAD * FAR + i);
}

static void at_random(void) {
  for (int i = 0; i < READS; i++) mine[i] = far_value(index_of[i]);
}
static void at_random_hand(void) {
  static shared const void *from[READS];
  void *const to[1] = {mine};
  for (int i = 0; i < READS; i++) from[i] = &far[index_of[i]];
  bupc_memget_ilist(1, to, READS * sizeof *mine, READS, from, sizeof(double));
}

static void in_order(void) {
  for (int i = 0; i < N; i++) mine[i] = far_value(i);
}
static void in_order_hand(void) { upc_memget(mine, &far[0], sizeof mine); }

static void again(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += far_value(index_of[i % NEAR]);
  mine[0] = sum;
}
static void again_hand(void) {
  double values[NEAR], sum = 0;
  for (int i = 0; i < NEAR; i++) values[i] = far[index_of[i]];
  for (int i = 0; i < N; i++) sum += values[i % NEAR];
  mine[0] = sum;
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  prepare_once();
  bench_kernel((kernel){"reads_random", READS, 0, 0, at_random, at_random_hand, mine, N}, prepare);
  bench_kernel((kernel){"reads_in_order", N, 0, 0, in_order, in_order_hand, mine, N}, prepare);
  bench_kernel((kernel){"reads_again", N, 0, 0, again, again_hand, mine, N}, prepare);
  return bench_finish_hosts();
}
