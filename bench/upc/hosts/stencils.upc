/* Stencils over blocked arrays: of three points in one dimension, of five in two. By hand: the neighbours' elements
 * next to the thread's own are fetched first, the rest is private. */
#include "measure.h"

shared [N] double line[N * THREADS], next_line[N * THREADS];
shared [N] double grid[ROWS * THREADS][COLUMNS], next_grid[ROWS * THREADS][COLUMNS];

static void prepare(void) {
  double *parts[] = {(double *)&line[MYTHREAD * N], (double *)&grid[MYTHREAD * ROWS][0],
                     (double *)&next_line[MYTHREAD * N], (double *)&next_grid[MYTHREAD * ROWS][0]};
  for (int i = 0; i < N; i++) {
    parts[0][i] = parts[1][i] = input(MYTHREAD * N + i);
    parts[2][i] = parts[3][i] = 0;
  }
}

static void stencil_1d(void) {
  upc_forall (int i = 1; i < N * THREADS - 1; i++; &next_line[i])
    next_line[i] = line[i - 1] - 2 * line[i] + line[i + 1];
}
static void stencil_1d_hand(void) {
  const int first = MYTHREAD * N;
  const double *from = (const double *)&line[first];
  double *to = (double *)&next_line[first];
  if (MYTHREAD > 0) to[0] = line[first - 1] - 2 * from[0] + from[1];
  for (int i = 1; i < N - 1; i++) to[i] = from[i - 1] - 2 * from[i] + from[i + 1];
  if (MYTHREAD < THREADS - 1) to[N - 1] = from[N - 2] - 2 * from[N - 1] + line[first + N];
}

static void stencil_2d(void) {
  upc_forall (int i = 1; i < ROWS * THREADS - 1; i++; &next_grid[i][0])
    for (int j = 1; j < COLUMNS - 1; j++)
      next_grid[i][j] = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1] - 4 * grid[i][j];
}
static void five_points(double *to, const double *above, const double *here, const double *below) {
  for (int j = 1; j < COLUMNS - 1; j++) to[j] = above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j];
}
static void stencil_2d_hand(void) {
  const int first = MYTHREAD * ROWS;
  const double *from = (const double *)&grid[first][0];
  double *to = (double *)&next_grid[first][0], ghost[COLUMNS];
  if (MYTHREAD > 0) {
    upc_memget(ghost, &grid[first - 1][0], sizeof ghost);
    five_points(to, ghost, from, from + COLUMNS);
  }
  for (int i = 1; i < ROWS - 1; i++)
    five_points(to + i * COLUMNS, from + (i - 1) * COLUMNS, from + i * COLUMNS, from + (i + 1) * COLUMNS);
  if (MYTHREAD < THREADS - 1) {
    upc_memget(ghost, &grid[first + ROWS][0], sizeof ghost);
    five_points(to + (ROWS - 1) * COLUMNS, from + (ROWS - 2) * COLUMNS, from + (ROWS - 1) * COLUMNS, ghost);
  }
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  const void *own_line = (const void *)&next_line[MYTHREAD * N];
  const void *own_grid = (const void *)&next_grid[MYTHREAD * ROWS][0];
  bench_kernel((kernel){"stencil_1d", N, 1, 0, stencil_1d, stencil_1d_hand, own_line, N}, prepare);
  bench_kernel((kernel){"stencil_2d", N, 1, 0, stencil_2d, stencil_2d_hand, own_grid, N}, prepare);
  return bench_finish_hosts();
}
