/* CG and IS in MPI, for one class. */
#include "twins_npb.h"

#include "../../../examples/upc/npb.h"
#include "../hosts/twins.h"
#include "sizes.h"

static int part(int all, int rank) { return (int)((long)all * rank / ranks); }
static int* parts_of(int all, int ends) {
  int* bounds = npb_memory((size_t)ranks * sizeof *bounds);
  for (int r = 0; r < ranks; r++) bounds[r] = ends ? part(all, r + 1) - part(all, r) : part(all, r);
  return bounds;
}

/* CG: blocks of rows; before a product all ranks gather the vector. */
#define PROBLEM NPB_OF_CLASS(npb_cg_, CLASS)
static npb_matrix matrix;
static int row_count, *block_count, *block_at;
static double *whole, *x, *z, *p, *q, *r;
static double zeta;
static long verified[1];

static double* vector(int elements) { return npb_memory((size_t)elements * sizeof(double)); }

static void prepare_cg_once(void) {
  block_count = parts_of(PROBLEM.rows, 1);
  block_at = parts_of(PROBLEM.rows, 0);
  row_count = block_count[me];
  matrix = npb_cg_matrix(&PROBLEM, block_at[me], 1, block_at[me] + row_count);
  whole = vector(PROBLEM.rows);
  x = vector(row_count);
  z = vector(row_count);
  p = vector(row_count);
  q = vector(row_count);
  r = vector(row_count);
}

static double dot(const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < row_count; i++) sum += a[i] * b[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void multiply(double* restrict product, const double* v) {
  MPI_Allgatherv(v, row_count, MPI_DOUBLE, whole, block_count, block_at, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < row_count; i++) {
    double sum = 0;
    for (int k = matrix.begin[i]; k < matrix.begin[i + 1]; k++) sum += matrix.value[k] * whole[matrix.column[k]];
    product[i] = sum;
  }
}

static double solve(void) {
  for (int i = 0; i < row_count; i++) {
    z[i] = 0;
    r[i] = p[i] = x[i];
  }
  double rho = dot(r, r);
  for (int step = 0; step < NPB_CG_STEPS; step++) {
    multiply(q, p);
    const double alpha = rho / dot(p, q), before = rho;
    for (int i = 0; i < row_count; i++) {
      z[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rho = dot(r, r);
    const double beta = rho / before;
    for (int i = 0; i < row_count; i++) p[i] = r[i] + beta * p[i];
  }
  multiply(r, z);
  for (int i = 0; i < row_count; i++) r[i] = x[i] - r[i];
  return sqrt(dot(r, r));
}

static void prepare_cg(void) { zeta = 0; }
static void cg(void) {
  for (int i = 0; i < row_count; i++) x[i] = 1;
  for (int iteration = 0; iteration < PROBLEM.iterations; iteration++) {
    solve();
    zeta = PROBLEM.shift + 1 / dot(x, z);
    const double scale = 1 / sqrt(dot(z, z));
    for (int i = 0; i < row_count; i++) x[i] = scale * z[i];
  }
}
static void look_at_cg(void) { verified[0] = npb_cg_verified(&PROBLEM, zeta); }

/* IS: counts of each value go to the rank whose value it is. */
enum { KEYS = NPB_OF_CLASS(NPB_IS_KEYS_, CLASS), VALUES = NPB_OF_CLASS(NPB_IS_VALUES_, CLASS) };
static const npb_is* const known = &NPB_OF_CLASS(npb_is_, CLASS);
static int *keys, *count, *inbox, *smaller, *value_count, *value_at, *inbox_count, *inbox_at;
static int first_key, key_count;

static void prepare_is_once(void) {
  first_key = part(KEYS, me);
  key_count = part(KEYS, me + 1) - first_key;
  value_count = parts_of(VALUES, 1);
  value_at = parts_of(VALUES, 0);
  inbox_count = parts_of(VALUES, 1);
  inbox_at = parts_of(VALUES, 0);
  for (int rank = 0; rank < ranks; rank++) {
    inbox_count[rank] = value_count[me];
    inbox_at[rank] = rank * value_count[me];
  }
  keys = npb_memory((size_t)key_count * sizeof *keys);
  count = npb_memory(VALUES * sizeof *count);
  inbox = npb_memory((size_t)ranks * (size_t)value_count[me] * sizeof *inbox);
  smaller = npb_memory((size_t)value_count[me] * sizeof *smaller);
}

static void prepare_is(void) {
  npb_is_keys(keys, first_key, key_count, VALUES);
  memset(smaller, 0, (size_t)value_count[me] * sizeof *smaller);
}

static void rank_keys(void) {
  memset(count, 0, VALUES * sizeof *count);
  for (int i = 0; i < key_count; i++) count[keys[i]]++;
  MPI_Alltoallv(count, value_count, value_at, MPI_INT, inbox, inbox_count, inbox_at, MPI_INT, MPI_COMM_WORLD);
  const int values = value_count[me];
  int sum = 0, before = 0;
  memset(smaller, 0, (size_t)values * sizeof *smaller);
  for (int rank = 0; rank < ranks; rank++)
    for (int k = 0; k < values; k++) smaller[k] += inbox[rank * values + k];
  for (int k = 0; k < values; k++) sum += smaller[k];
  MPI_Exscan(&sum, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) before = 0;
  for (int k = 0; k < values; k++) {
    const int equal = smaller[k];
    smaller[k] = before;
    before += equal;
  }
}

static int wrong_ranks(const int* tested, int iteration) {
  int wrong = 0;
  for (int k = 0; k < NPB_IS_TESTS; k++) {
    const int value = tested[k] - value_at[me];
    if (value >= 0 && value < value_count[me]) wrong += smaller[value] != known->rank[k] + known->step[k] * iteration;
  }
  return wrong;
}

static void is(void) {
  int wrong = 0;
  for (int iteration = 1; iteration <= NPB_IS_ITERATIONS; iteration++) {
    int tested[NPB_IS_TESTS] = {0};
    npb_is_change(keys, first_key, key_count, VALUES, iteration);
    for (int k = 0; k < NPB_IS_TESTS; k++) {
      const int i = known->index[k] - first_key;
      if (i >= 0 && i < key_count) tested[k] = keys[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, tested, NPB_IS_TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    rank_keys();
    wrong += wrong_ranks(tested, iteration);
  }
  if (wrong == 0) return;
  fprintf(stderr, "is_" NPB_NAME_OF(CLASS) ": wrong: %d ranks are not the known ones\n", wrong);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void NPB_OF_CLASS(run_npb_twins_, CLASS)(void) {
  prepare_cg_once();
  prepare_is_once();
  const twin twins[] = {
      {"cg_" NPB_NAME_OF(CLASS), CG_ELEMENTS(PROBLEM, ranks), 1, prepare_cg, cg, verified, 1, look_at_cg},
      {"is_" NPB_NAME_OF(CLASS), IS_ELEMENTS(KEYS, ranks), 1, prepare_is, is, smaller,
       (size_t)VALUES / (size_t)ranks / 2, NULL},
  };
  measure_twins(twins, sizeof twins / sizeof *twins);
}
