/* What one thread reads and writes of another's block, column and scalar, element by element and by bulk calls; matrix
 * times vector, where the vector is another's. */
#include "measure.h"

shared [N] double block[N * THREADS];
shared [COLUMN_LENGTH * COLUMNS] double rows[COLUMN_LENGTH * THREADS][COLUMNS];
shared [N] double matrix[ROWS * THREADS][COLUMNS];
shared [ROWS] double product[ROWS * THREADS];
shared [] double vector[COLUMNS];
shared double scale;
static double source[N], mine[N];

static void prepare(void) {
  double *own = (double *)&block[MYTHREAD * N], *own_rows = (double *)&rows[MYTHREAD * COLUMN_LENGTH][0];
  double *own_matrix = (double *)&matrix[MYTHREAD * ROWS][0], *own_product = (double *)&product[MYTHREAD * ROWS];
  for (int i = 0; i < N; i++) {
    own[i] = input(MYTHREAD * N + i);
    own_matrix[i] = input(MYTHREAD * N + i + 1);
    source[i] = input(i + 2);
    mine[i] = 0;
  }
  for (int i = 0; i < COLUMN_LENGTH * COLUMNS; i++) own_rows[i] = input(i + 3);
  for (int i = 0; i < ROWS; i++) own_product[i] = 0;
  if (MYTHREAD != OWNER) return;
  for (int i = 0; i < COLUMNS; i++) vector[i] = input(i + 4);
  scale = SCALE;
}

static void block_read(void) {
  for (int i = 0; i < N; i++) mine[i] = block[i];
}
static void block_read_hand(void) { upc_memget(mine, &block[0], sizeof mine); }

static void block_write(void) {
  for (int i = 0; i < N; i++) block[i] = source[i];
}
static void block_write_hand(void) { upc_memput(&block[0], source, sizeof source); }

static void block_accumulate(void) {
  for (int i = 0; i < N; i++) block[i] += source[i];
}
static void block_accumulate_hand(void) {
  static double sum[N];
  upc_memget(sum, &block[0], sizeof sum);
  for (int i = 0; i < N; i++) sum[i] += source[i];
  upc_memput(&block[0], sum, sizeof sum);
}

static void column(void) {
  for (int i = 0; i < COLUMN_LENGTH; i++) mine[i] = rows[i][THE_COLUMN];
}
static void column_hand(void) {
  const size_t bytes = COLUMN_LENGTH * sizeof(double);
  bupc_memget_fstrided(mine, bytes, bytes, 1, &rows[0][THE_COLUMN], sizeof(double), COLUMNS * sizeof(double),
                       COLUMN_LENGTH);
}

static void matvec(void) {
  upc_forall (int i = 0; i < ROWS * THREADS; i++; &product[i]) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += matrix[i][j] * vector[j];
    product[i] = sum;
  }
}
static void matvec_hand(void) {
  double copy[COLUMNS];
  const double *own = (const double *)&matrix[MYTHREAD * ROWS][0];
  double *to = (double *)&product[MYTHREAD * ROWS];
  upc_memget(copy, vector, sizeof copy);
  for (int i = 0; i < ROWS; i++) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += own[i * COLUMNS + j] * copy[j];
    to[i] = sum;
  }
}

static void scalar(void) {
  for (int i = 0; i < N; i++) mine[i] = scale * source[i];
}
static void scalar_hand(void) {
  const double factor = scale;
  for (int i = 0; i < N; i++) mine[i] = factor * source[i];
}

static void scalar_branch(void) {
  for (int i = 0; i < N; i++) {
    if (source[i] > scale)
      mine[i] = source[i] - scale;
    else
      mine[i] = source[i] + scale;
  }
}
static void scalar_branch_hand(void) {
  const double limit = scale;
  for (int i = 0; i < N; i++) mine[i] = source[i] > limit ? source[i] - limit : source[i] + limit;
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  const void *own = (const void *)&block[MYTHREAD * N], *own_product = (const void *)&product[MYTHREAD * ROWS];
  bench_kernel((kernel){"block_read", N, 0, 0, block_read, block_read_hand, mine, N}, prepare);
  bench_kernel((kernel){"block_write", N, 0, 0, block_write, block_write_hand, own, N}, prepare);
  bench_kernel((kernel){"block_accumulate", N, 0, 0, block_accumulate, block_accumulate_hand, own, N}, prepare);
  bench_kernel((kernel){"column", COLUMN_LENGTH, 0, 0, column, column_hand, mine, COLUMN_LENGTH}, prepare);
  bench_kernel((kernel){"matvec", N, 1, 0, matvec, matvec_hand, own_product, ROWS}, prepare);
  bench_kernel((kernel){"scalar", N, 0, 0, scalar, scalar_hand, mine, N}, prepare);
  bench_kernel((kernel){"scalar_branch", N, 0, 0, scalar_branch, scalar_branch_hand, mine, N}, prepare);
  return bench_finish_hosts();
}
