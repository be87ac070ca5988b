/* Matrix times vector of examples/upc/matvec.upc beside versions by hand: what lies elsewhere, of the vector and of the
 * matrix by elements, is fetched whole; the rest is private pointers. */
#include <upc_nb.h>

#include "../hosts/measure.h"
#include "sizes.h"

#define ROWS MATRIX_ROWS
#define COLUMNS MATRIX_COLUMNS
#define main example_main
#include "../../../examples/upc/matvec.upc"
#undef main

static double vector[COLUMNS], outcome[ROWS];

static void prepare_result(void) {
  upc_forall (int i = 0; i < N; i++; &result[i]) result[i] = 0;
  upc_barrier;
}

/* Thread t has elements t, t + THREADS, ... of x. */
static void fetch_vector(void) {
  static double part[COLUMNS];
  for (int t = 0; t < THREADS; t++) {
    const int count = (COLUMNS - t + THREADS - 1) / THREADS;
    upc_memget(part, &x[t], (size_t)count * sizeof *part);
    for (int k = 0; k < count; k++) vector[k * THREADS + t] = part[k];
  }
}

static double product(const double *row) {
  double sum = 0;
  for (int j = 0; j < COLUMNS; j++) sum += row[j] * vector[j];
  return sum;
}

/* Thread t has elements t, t + THREADS, ... of the matrix, too. */
static void multiply_by_element_hand(void) {
  static double part[ROWS * COLUMNS], *matrix;
  if (matrix == NULL) matrix = malloc((size_t)N * COLUMNS * sizeof *matrix);
  if (matrix == NULL) upc_global_exit(1);
  int rows = 0;
  for (int i = 0; i < N; i++) rows += upc_threadof(&by_element[i][0]) == MYTHREAD;
  if (rows > 0) {
    fetch_vector();
    for (int t = 0; t < THREADS; t++) {
      upc_memget(part, (shared double *)by_element + t, sizeof part);
      for (int k = 0; k < ROWS * COLUMNS; k++) matrix[(long)k * THREADS + t] = part[k];
    }
  }
  for (int i = 0; i < N; i++)
    if (upc_threadof(&by_element[i][0]) == MYTHREAD) result[i] = product(matrix + (long)i * COLUMNS);
  upc_barrier;
}

static void multiply_by_row_hand(void) {
  const double *own = (const double *)by_row[MYTHREAD];
  double *own_result = (double *)&result[MYTHREAD];
  fetch_vector();
  for (int k = 0; k < ROWS; k++) own_result[k] = product(own + (long)k * COLUMNS);
  upc_barrier;
}

/* Results are cyclic, blocks of rows are not. */
static void multiply_by_block_hand(void) {
  static double own_result[ROWS], part[ROWS];
  const int first = ROWS * MYTHREAD;
  const double *own = (const double *)by_block[first];
  fetch_vector();
  for (int k = 0; k < ROWS; k++) own_result[k] = product(own + (long)k * COLUMNS);
  for (int t = 0; t < THREADS; t++) {
    int count = 0;
    for (int k = 0; k < ROWS; k++)
      if ((first + k) % THREADS == t) part[count++] = own_result[k];
    const int first_of_t = first + (t - first % THREADS + THREADS) % THREADS;
    if (count > 0) upc_memput(&result[first_of_t], part, (size_t)count * sizeof *part);
  }
  upc_barrier;
}

static void look(void) { memcpy(outcome, (const double *)&result[MYTHREAD], sizeof outcome); }

static kernel of_layout(const char *name, void (*naive)(void), void (*hand)(void)) {
  return (kernel){name, (size_t)ROWS * COLUMNS, 1, 1, naive, hand, outcome, ROWS, look};
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  prepare();
  bench_kernel(of_layout("matvec_by_element", multiply_by_element, multiply_by_element_hand), prepare_result);
  bench_kernel(of_layout("matvec_by_row", multiply_by_row, multiply_by_row_hand), prepare_result);
  bench_kernel(of_layout("matvec_by_block", multiply_by_block, multiply_by_block_hand), prepare_result);
  bench_wrong |= wrong();
  return bench_finish_hosts();
}
