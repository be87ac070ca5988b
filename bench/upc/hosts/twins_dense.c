/* The twins of own_memory.upc, blocks.upc, stencils.upc and layouts.upc. Each array is this rank's part. */
#include "twins_hosts.h"

#define OTHER (1 - me)
static double x[MANY], y[MANY];
static double block[N], source[N], mine[N], rows[COLUMN_LENGTH][COLUMNS];
static double matrix[ROWS][COLUMNS], second_matrix[ROWS][COLUMNS], vector[COLUMNS], product[ROWS], scale;
static double next_line[N], next_grid[ROWS][COLUMNS];
static double terms[TERMS], sum_of_terms, blocked[N], transposed[ROWS][COLUMNS];

static void prepare(void) {
  double *first = &matrix[0][0], *second = &second_matrix[0][0];
  for (int i = 0; i < N; i++) {
    x[i] = block[i] = first[i] = input(me * N + i);
    second[i] = input(me * N + i + 1);
    source[i] = input(i + 2);
    mine[i] = next_line[i] = blocked[i] = 0;
  }
  memset(next_grid, 0, sizeof next_grid);
  memset(transposed, 0, sizeof transposed);
  memset(product, 0, sizeof product);
  for (int i = 0; i < COLUMN_LENGTH * COLUMNS; i++) rows[i / COLUMNS][i % COLUMNS] = input(i + 3);
  for (int i = 0; i < TERMS; i++) terms[i] = input(me * TERMS + i);
  for (int i = 0; i < COLUMNS; i++) vector[i] = me == OWNER ? input(i + 4) : 0;
  scale = me == OWNER ? SCALE : 0;
  sum_of_terms = 0;
}

static void prepare_own(int n) {
  for (int i = 0; i < n; i++) {
    x[i] = input(me * n + i);
    y[i] = input(me * n + i + 1);
  }
}
static void prepare_few(void) { prepare_own(FEW); }
static void prepare_n(void) { prepare_own(N); }
static void prepare_many(void) { prepare_own(MANY); }

static inline void own(int n) {
  for (int i = 0; i < n; i++) y[i] += 2 * x[i];
}
static void own_few(void) { own(FEW); }
static void own_n(void) { own(N); }
static void own_many(void) { own(MANY); }

static void block_read(void) {
  if (me == OWNER)
    MPI_Send(block, N, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(mine, N, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void block_write(void) {
  if (me == WORKER)
    MPI_Send(source, N, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(block, N, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void block_accumulate(void) {
  if (me == WORKER) {
    MPI_Send(source, N, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD);
    return;
  }
  static double received[N];
  MPI_Recv(received, N, MPI_DOUBLE, WORKER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) block[i] += received[i];
}

static void column(void) {
  static MPI_Datatype column_type = MPI_DATATYPE_NULL;
  if (column_type == MPI_DATATYPE_NULL) {
    MPI_Type_vector(COLUMN_LENGTH, 1, COLUMNS, MPI_DOUBLE, &column_type);
    MPI_Type_commit(&column_type);
  }
  if (me == OWNER)
    MPI_Send(&rows[0][THE_COLUMN], 1, column_type, WORKER, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(mine, COLUMN_LENGTH, MPI_DOUBLE, OWNER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void matvec(void) {
  MPI_Bcast(vector, COLUMNS, MPI_DOUBLE, OWNER, MPI_COMM_WORLD);
  for (int i = 0; i < ROWS; i++) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += second_matrix[i][j] * vector[j];
    product[i] = sum;
  }
}

static void scalar(void) {
  MPI_Bcast(&scale, 1, MPI_DOUBLE, OWNER, MPI_COMM_WORLD);
  if (me != WORKER) return;
  for (int i = 0; i < N; i++) mine[i] = scale * source[i];
}

static void scalar_branch(void) {
  MPI_Bcast(&scale, 1, MPI_DOUBLE, OWNER, MPI_COMM_WORLD);
  if (me != WORKER) return;
  for (int i = 0; i < N; i++) mine[i] = source[i] > scale ? source[i] - scale : source[i] + scale;
}

/* The other rank's elements next to this one's: of the first rank the last, of the second the first. */
static void exchange_ghost(const double* part, int last, double* ghost, int count) {
  MPI_Sendrecv(part + (me == 0 ? last : 0), count, MPI_DOUBLE, OTHER, 0, ghost, count, MPI_DOUBLE, OTHER, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void stencil_1d(void) {
  double ghost;
  exchange_ghost(x, N - 1, &ghost, 1);
  for (int i = 1; i < N - 1; i++) next_line[i] = x[i - 1] - 2 * x[i] + x[i + 1];
  if (me == 0)
    next_line[N - 1] = x[N - 2] - 2 * x[N - 1] + ghost;
  else
    next_line[0] = ghost - 2 * x[0] + x[1];
}

static void five_points(double* to, const double* above, const double* here, const double* below) {
  for (int j = 1; j < COLUMNS - 1; j++) to[j] = above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j];
}

static void stencil_2d(void) {
  double ghost[COLUMNS];
  exchange_ghost(&matrix[0][0], (ROWS - 1) * COLUMNS, ghost, COLUMNS);
  for (int i = 1; i < ROWS - 1; i++) five_points(next_grid[i], matrix[i - 1], matrix[i], matrix[i + 1]);
  if (me == 0)
    five_points(next_grid[ROWS - 1], matrix[ROWS - 2], matrix[ROWS - 1], ghost);
  else
    five_points(next_grid[0], ghost, matrix[0], matrix[1]);
}

/* A rank adds up its own terms. */
static void cyclic_sum(void) {
  double sum = 0;
  for (int i = 0; i < TERMS; i++) sum += terms[i];
  MPI_Reduce(&sum, &sum_of_terms, 1, MPI_DOUBLE, MPI_SUM, WORKER, MPI_COMM_WORLD);
}

/* From cyclic (x) to blocked. */
static void copy(void) {
  static double received[N / RANKS];
  MPI_Sendrecv(x + OTHER * (N / RANKS), N / RANKS, MPI_DOUBLE, OTHER, 0, received, N / RANKS, MPI_DOUBLE, OTHER, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double* from_me = x + me * (N / RANKS);
  for (int i = 0; i < N / RANKS; i++) {
    blocked[i * RANKS + me] = from_me[i];
    blocked[i * RANKS + OTHER] = received[i];
  }
}

static void transpose(void) {
  static double packed[ROWS][ROWS], received[ROWS][ROWS];
  for (int i = 0; i < ROWS; i++) memcpy(packed[i], &matrix[i][OTHER * ROWS], sizeof packed[i]);
  MPI_Sendrecv(packed, ROWS * ROWS, MPI_DOUBLE, OTHER, 0, received, ROWS * ROWS, MPI_DOUBLE, OTHER, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < ROWS; j++) {
      transposed[i][me * ROWS + j] = matrix[j][me * ROWS + i];
      transposed[i][OTHER * ROWS + j] = received[j][i];
    }
}

static const twin twins[] = {
    {"own_64", FEW, OWN_ELEMENTS / FEW, prepare_few, own_few, y, FEW, NULL},
    {"own", N, OWN_ELEMENTS / N, prepare_n, own_n, y, N, NULL},
    {"own_16384", MANY, OWN_ELEMENTS / MANY, prepare_many, own_many, y, MANY, NULL},
    {"block_read", N, 1, prepare, block_read, mine, N, NULL},
    {"block_write", N, 1, prepare, block_write, block, N, NULL},
    {"block_accumulate", N, 1, prepare, block_accumulate, block, N, NULL},
    {"column", COLUMN_LENGTH, 1, prepare, column, mine, COLUMN_LENGTH, NULL},
    {"matvec", N, 1, prepare, matvec, product, ROWS, NULL},
    {"scalar", N, 1, prepare, scalar, mine, N, NULL},
    {"scalar_branch", N, 1, prepare, scalar_branch, mine, N, NULL},
    {"stencil_1d", N, 1, prepare, stencil_1d, next_line, N, NULL},
    {"stencil_2d", N, 1, prepare, stencil_2d, next_grid, N, NULL},
    {"cyclic_sum", TERMS* RANKS, 1, prepare, cyclic_sum, &sum_of_terms, 1, NULL},
    {"copy", N, 1, prepare, copy, blocked, N, NULL},
    {"transpose", N, 1, prepare, transpose, transposed, N, NULL},
};

void run_dense_twins(void) { measure_twins(twins, sizeof twins / sizeof *twins); }
