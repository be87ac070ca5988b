/* Matrix times vector and a 2-D five-point stencil with upc_forall; the limit is the same work privatised by hand:
 * pointers cast from the rows this thread owns, rows of neighbours read through upc_cast. */
#include "bench.h"
#include <upc_castable.h>

#define N 512
#define ROWS (256 * THREADS)
shared [N] double matrix[ROWS][N];
shared double result[ROWS];
shared [] double vector[N];
shared [N * 16] double grid[ROWS][N], next[ROWS][N];
static double sink;

static void multiply(void) {
  upc_forall (int i = 0; i < ROWS; i++; &matrix[i][0]) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += matrix[i][j] * vector[j];
    result[i] = sum;
  }
}
static void multiply_private(void) {
  double *x = upc_cast(vector);
  for (int i = MYTHREAD; i < ROWS; i += THREADS) {
    double *row = (double *)&matrix[i][0], sum = 0;
    for (int j = 0; j < N; j++) sum += row[j] * x[j];
    *(double *)&result[i] = sum;
  }
}

static void stencil(void) {
  upc_forall (int i = 1; i < ROWS - 1; i++; &next[i][0])
    for (int j = 1; j < N - 1; j++)
      next[i][j] = 0.2 * (grid[i][j] + grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
}
static void stencil_private(void) {
  for (int block = MYTHREAD; block < ROWS / 16; block += THREADS) {
    int first = block * 16, last = first + 16;
    if (first == 0) first = 1;
    if (last == ROWS) last = ROWS - 1;
    for (int i = first; i < last; i++) {
      double *to = (double *)&next[i][0];
      const double *here = (double *)&grid[i][0];
      const double *above = upc_cast(&grid[i - 1][0]), *below = upc_cast(&grid[i + 1][0]);
      for (int j = 1; j < N - 1; j++) to[j] = 0.2 * (here[j] + above[j] + below[j] + here[j - 1] + here[j + 1]);
    }
  }
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  for (int i = MYTHREAD; i < ROWS; i += THREADS)
    for (int j = 0; j < N; j++) matrix[i][j] = grid[i][j] = i + j;
  if (MYTHREAD == 0)
    for (int j = 0; j < N; j++) vector[j] = j;
  upc_barrier;
  double flops = 2e-9 * (double)ROWS * N;
  bench_case("matvec", sizeof(double) * ROWS * N, flops, "Gflop/s", multiply, multiply_private);
  bench_case("stencil", 2 * sizeof(double) * ROWS * N, 2.5 * flops, "Gflop/s", stencil, stencil_private);
  sink = result[0] + next[1][1];
  return bench_finish("upc_kernels");
}
