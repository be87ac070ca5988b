/* Conjugate gradients of examples/upc/cg.upc beside a version by hand: blocks of rows, private vectors; before a
 * product each thread fetches the other threads' blocks of the one vector that is shared. */
#include <upc_nb.h>

#include "../hosts/measure.h"
#include "parts.h"
#include "sizes.h"

#define main example_main
#include "../../../examples/upc/cg.upc"
#undef main

static npb_matrix block;
static int first_row, row_count;
static double *whole, *own_p, *own_x, *own_z, *own_q, *own_r; /* own_p is shared memory */
static shared void *all_p;
static double found;
static long outcome[1];

static int part(int thread) { return (int)((long)ROWS * thread / THREADS); }
static double *private_vector(void) { return npb_memory((size_t)row_count * sizeof(double)); }

static void prepare_hand(void) {
  first_row = part(MYTHREAD);
  row_count = part(MYTHREAD + 1) - first_row;
  block = npb_cg_matrix(&PROBLEM, first_row, 1, part(MYTHREAD + 1));
  all_p = upc_all_alloc((size_t)THREADS, (size_t)(ROWS / THREADS + 1) * sizeof(double));
  own_p = (double *)PART(double, all_p, MYTHREAD);
  own_x = private_vector();
  own_z = private_vector();
  own_q = private_vector();
  own_r = private_vector();
  whole = npb_memory((size_t)ROWS * sizeof *whole);
}

static double own_dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < row_count; i++) sum += a[i] * b[i];
  return bupc_allv_reduce_all(double, sum, UPC_ADD);
}

/* Of the matrix and own_p, of all threads. */
static void multiply_hand(double *product) {
  upc_barrier;
  for (int t = 0; t < THREADS; t++)
    if (t != MYTHREAD)
      upc_memget_nbi(whole + part(t), PART(double, all_p, t), (size_t)(part(t + 1) - part(t)) * sizeof *whole);
  memcpy(whole + first_row, own_p, (size_t)row_count * sizeof *whole);
  upc_synci();
  for (int i = 0; i < row_count; i++) {
    double sum = 0;
    for (int k = block.begin[i]; k < block.begin[i + 1]; k++) sum += block.value[k] * whole[block.column[k]];
    product[i] = sum;
  }
}

static double solve_hand(void) {
  for (int i = 0; i < row_count; i++) {
    own_z[i] = 0;
    own_r[i] = own_p[i] = own_x[i];
  }
  double rho = own_dot(own_r, own_r);
  for (int step = 0; step < NPB_CG_STEPS; step++) {
    multiply_hand(own_q);
    const double alpha = rho / own_dot(own_p, own_q), before = rho;
    for (int i = 0; i < row_count; i++) {
      own_z[i] += alpha * own_p[i];
      own_r[i] -= alpha * own_q[i];
    }
    rho = own_dot(own_r, own_r);
    const double beta = rho / before;
    for (int i = 0; i < row_count; i++) own_p[i] = own_r[i] + beta * own_p[i];
  }
  memcpy(own_p, own_z, (size_t)row_count * sizeof *own_p);
  multiply_hand(own_r);
  for (int i = 0; i < row_count; i++) own_r[i] = own_x[i] - own_r[i];
  return sqrt(own_dot(own_r, own_r));
}

static double iterate_hand(int iterations) {
  double zeta = 0;
  for (int i = 0; i < row_count; i++) own_x[i] = 1;
  for (int iteration = 0; iteration < iterations; iteration++) {
    solve_hand();
    zeta = PROBLEM.shift + 1 / own_dot(own_x, own_z);
    const double scale = 1 / sqrt(own_dot(own_z, own_z));
    for (int i = 0; i < row_count; i++) own_x[i] = scale * own_z[i];
  }
  return zeta;
}

static void naive(void) {
  double residual;
  found = iterate(PROBLEM.iterations, &residual);
}
static void hand(void) { found = iterate_hand(PROBLEM.iterations); }
static void forget(void) { found = 0; }
static void look(void) {
  outcome[0] = npb_cg_verified(&PROBLEM, found);
  bench_wrong |= !outcome[0];
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  prepare();
  prepare_hand();
  bench_kernel((kernel){"cg_" NPB_NAME_OF(CLASS), CG_ELEMENTS(PROBLEM, THREADS), 1, 1, naive, hand, outcome, 1, look},
               forget);
  return bench_finish_hosts();
}
