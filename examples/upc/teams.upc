/* Teams: C = A * B on a grid of threads, with broadcasts along its rows and columns (the SUMMA algorithm).
 *
 * Thread t is in row t / COLUMNS and column t % COLUMNS of the grid and makes one block of C. A is cut into panels of
 * columns and B into panels of rows, dealt out over the grid's columns and rows. Step k needs panel k of both: whoever
 * has a part of A's panel sends it to its row team, whoever has a part of B's to its column team. The broadcasts of the
 * next step are under way while this one is computed.
 *
 *   upcc -O2 -o teams teams.upc && upcrun -n 4 ./teams */
#include <stdio.h>
#include <upc.h>
#include <upc_team.h>

enum { HEIGHT = 24, WIDTH = 20, DEPTH = 8, PANELS = 12 }; /* of a thread's block of C; of a panel; how many */

typedef struct {
  double a[PANELS][HEIGHT * DEPTH], b[PANELS][DEPTH * WIDTH]; /* the panels that this thread has a part of */
  double left[2][HEIGHT * DEPTH], right[2][DEPTH * WIDTH];    /* what it multiplies, and what is coming */
} part_t;

shared part_t *parts; /* parts[t] is on thread t */
part_t *mine;
double c[HEIGHT][WIDTH];

size_t rows, columns;
upc_team_t row, column;
upc_handle_t left_comes, right_comes;

double a_value(size_t i, size_t k) { return (double)((i + 3 * k) % 7); }
double b_value(size_t k, size_t j) { return (double)((2 * k + j) % 5); }

/* The broadcasts of panel k. Nobody's buffer is written before its thread has come here, too (UPC_IN_MYSYNC). */
void start(size_t k) {
  const size_t from_column = upc_team_thread(row, k % columns), from_row = upc_team_thread(column, k % rows);
  left_comes = upc_team_broadcast_nb(row, parts[MYTHREAD].left[k % 2], parts[from_column].a[k], sizeof mine->a[k],
                                     UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
  right_comes = upc_team_broadcast_nb(column, parts[MYTHREAD].right[k % 2], parts[from_row].b[k], sizeof mine->b[k],
                                      UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
}

void multiply(const double *left, const double *right) {
  for (size_t i = 0; i < HEIGHT; ++i)
    for (size_t k = 0; k < DEPTH; ++k)
      for (size_t j = 0; j < WIDTH; ++j) c[i][j] += left[i * DEPTH + k] * right[k * WIDTH + j];
}

int main(void) {
  for (rows = 1; (rows + 1) * (rows + 1) <= (size_t)THREADS; ++rows) {}
  while (THREADS % rows != 0) --rows;
  columns = THREADS / rows;
  row = upc_team_split_stride(UPC_TEAM_ALL, columns, 1);
  column = upc_team_split_stride(UPC_TEAM_ALL, rows, columns);
  const size_t top = MYTHREAD / columns * HEIGHT, first = MYTHREAD % columns * WIDTH;

  parts = upc_all_alloc(THREADS, sizeof(part_t));
  mine = (part_t *)&parts[MYTHREAD];
  for (size_t k = 0; k < PANELS; ++k) {
    for (size_t i = 0; i < HEIGHT * DEPTH; ++i) mine->a[k][i] = a_value(top + i / DEPTH, k * DEPTH + i % DEPTH);
    for (size_t i = 0; i < DEPTH * WIDTH; ++i) mine->b[k][i] = b_value(k * DEPTH + i / WIDTH, first + i % WIDTH);
    if (k % columns != upc_team_rank(row)) mine->a[k][0] = -1e9; /* not this thread's: never read */
    if (k % rows != upc_team_rank(column)) mine->b[k][0] = -1e9;
  }

  start(0);
  for (size_t k = 0; k < PANELS; ++k) {
    upc_sync(left_comes);
    upc_sync(right_comes);
    if (k + 1 < PANELS) start(k + 1);
    multiply(mine->left[k % 2], mine->right[k % 2]);
  }

  int wrong = 0;
  for (size_t i = 0; i < HEIGHT; ++i)
    for (size_t j = 0; j < WIDTH; ++j) {
      double expected = 0;
      for (size_t k = 0; k < PANELS * DEPTH; ++k) expected += a_value(top + i, k) * b_value(k, first + j);
      wrong += c[i][j] != expected;
    }
  static shared int errors[THREADS], all_errors[THREADS];
  errors[MYTHREAD] = wrong;
  upc_team_reduce_all(UPC_TEAM_ALL, all_errors, errors, UPC_ADD, UPC_INT, 1, 0);
  upc_team_free(row);
  upc_team_free(column);
  if (MYTHREAD == 0) {
    printf("the product of two matrices on a grid of threads\n");
    printf("%s\n", all_errors[0] == 0 ? "ok" : "wrong");
  }
  return all_errors[MYTHREAD] != 0;
}
