/* Data that lie otherwise than they are wanted: the sum of a cyclic array by one thread, copies between a cyclic and a
 * blocked array by the thread that gets and by the thread that puts, a transpose. */
#include "measure.h"

#define TOTAL (N * THREADS)
shared double terms[TERMS * THREADS];
shared double cyclic[TOTAL];
shared [N] double blocked[TOTAL], landing[TOTAL];
shared [N] double matrix[ROWS * THREADS][COLUMNS], transposed[ROWS * THREADS][COLUMNS];
static double sum_of_terms;

static void prepare(void) {
  double *own_terms = (double *)&terms[MYTHREAD], *own_cyclic = (double *)&cyclic[MYTHREAD];
  double *own_blocked = (double *)&blocked[MYTHREAD * N], *own_matrix = (double *)&matrix[MYTHREAD * ROWS][0];
  double *own_transposed = (double *)&transposed[MYTHREAD * ROWS][0];
  for (int i = 0; i < TERMS; i++) own_terms[i] = input(MYTHREAD * TERMS + i);
  for (int i = 0; i < N; i++) {
    own_cyclic[i] = own_matrix[i] = input(MYTHREAD * N + i);
    own_blocked[i] = own_transposed[i] = 0;
  }
  sum_of_terms = 0;
}

static void cyclic_sum(void) {
  double sum = 0;
  for (int i = 0; i < TERMS * THREADS; i++) sum += terms[i];
  sum_of_terms = sum;
}
static void cyclic_sum_hand(void) {
  double sum = 0, part[TERMS];
  for (int t = 0; t < THREADS; t++) {
    upc_memget(part, &terms[t], sizeof part);
    for (int i = 0; i < TERMS; i++) sum += part[i];
  }
  sum_of_terms = sum;
}

static void copy_get(void) {
  upc_forall (int i = 0; i < TOTAL; i++; &blocked[i]) blocked[i] = cyclic[i];
}
static void copy_get_hand(void) {
  double *own = (double *)&blocked[MYTHREAD * N], part[N / RANKS];
  for (int t = 0; t < THREADS; t++) {
    upc_memget(part, &cyclic[MYTHREAD * N + t], sizeof part);
    for (int i = 0; i < N / RANKS; i++) own[i * THREADS + t] = part[i];
  }
}

static void copy_put(void) {
  upc_forall (int i = 0; i < TOTAL; i++; &cyclic[i]) blocked[i] = cyclic[i];
}
/* What goes to one thread is contiguous at its source: it is put there as it is, and spread by its owner. Another call
 * would need a barrier before, were its values not the same. */
static void copy_put_hand(void) {
  const double *own = (const double *)&cyclic[MYTHREAD], *landed = (const double *)&landing[MYTHREAD * N];
  double *to = (double *)&blocked[MYTHREAD * N];
  const size_t count = N / RANKS;
  for (int t = 0; t < THREADS; t++)
    upc_memput(&landing[t * N + MYTHREAD * count], own + (size_t)t * count, count * sizeof(double));
  upc_barrier;
  for (int t = 0; t < THREADS; t++)
    for (size_t i = 0; i < count; i++) to[i * THREADS + t] = landed[t * count + i];
}

static void transpose(void) {
  upc_forall (int i = 0; i < ROWS * THREADS; i++; &transposed[i][0])
    for (int j = 0; j < COLUMNS; j++) transposed[i][j] = matrix[j][i];
}
static void transpose_hand(void) {
  double *own = (double *)&transposed[MYTHREAD * ROWS][0], tile[ROWS][ROWS];
  for (int t = 0; t < THREADS; t++) {
    bupc_memget_fstrided(tile, sizeof tile, sizeof tile, 1, &matrix[t * ROWS][MYTHREAD * ROWS], sizeof tile[0],
                         COLUMNS * sizeof(double), ROWS);
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < ROWS; j++) own[i * COLUMNS + t * ROWS + j] = tile[j][i];
  }
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  const void *own_blocked = (const void *)&blocked[MYTHREAD * N];
  const void *own_transposed = (const void *)&transposed[MYTHREAD * ROWS][0];
  bench_kernel((kernel){"cyclic_sum", TERMS * RANKS, 0, 0, cyclic_sum, cyclic_sum_hand, &sum_of_terms, 1}, prepare);
  bench_kernel((kernel){"copy_get", N, 1, 0, copy_get, copy_get_hand, own_blocked, N}, prepare);
  bench_kernel((kernel){"copy_put", N, 1, 0, copy_put, copy_put_hand, own_blocked, N}, prepare);
  bench_kernel((kernel){"transpose", N, 1, 0, transpose, transpose_hand, own_transposed, N}, prepare);
  return bench_finish_hosts();
}
