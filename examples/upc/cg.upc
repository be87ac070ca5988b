/* Conjugate gradients, the NAS benchmark CG: the smallest eigenvalue of a sparse symmetric matrix by inverse iteration.
 * Row i of the matrix and element i of each vector belong to thread i mod THREADS. Written the obvious way: a product
 * reads the elements of the vector that it meets, wherever they lie, and each loop over a vector is a upc_forall. */
#include <math.h>
#include <stdio.h>
#include <upc.h>

#include "npb.h"

#define PROBLEM NPB_OF_CLASS(npb_cg_, CLASS)
#define ROWS PROBLEM.rows

static npb_matrix matrix; /* the thread's own rows */
static shared double *x, *z, *p, *q, *r;

static shared double *vector(void) { return upc_all_alloc((size_t)ROWS, sizeof(double)); }

static double dot(shared double *a, shared double *b) {
  double sum = 0;
  upc_forall (int i = 0; i < ROWS; i++; &a[i]) sum += a[i] * b[i];
  return bupc_allv_reduce_all(double, sum, UPC_ADD);
}

static void multiply(shared double *product, shared double *v) {
  upc_barrier; /* v is complete */
  upc_forall (int i = 0; i < ROWS; i++; &product[i]) {
    const int row = i / THREADS;
    double sum = 0;
    for (int k = matrix.begin[row]; k < matrix.begin[row + 1]; k++) sum += matrix.value[k] * v[matrix.column[k]];
    product[i] = sum;
  }
}

/* z of A z = x, nearly. The result is |x - A z|. */
static double solve(void) {
  upc_forall (int i = 0; i < ROWS; i++; &x[i]) {
    z[i] = 0;
    r[i] = p[i] = x[i];
  }
  double rho = dot(r, r);
  for (int step = 0; step < NPB_CG_STEPS; step++) {
    multiply(q, p);
    const double alpha = rho / dot(p, q), before = rho;
    upc_forall (int i = 0; i < ROWS; i++; &z[i]) {
      z[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rho = dot(r, r);
    const double beta = rho / before;
    upc_forall (int i = 0; i < ROWS; i++; &p[i]) p[i] = r[i] + beta * p[i];
  }
  multiply(r, z);
  upc_forall (int i = 0; i < ROWS; i++; &r[i]) r[i] = x[i] - r[i];
  return sqrt(dot(r, r));
}

static double iterate(int iterations, double *residual) {
  double zeta = 0;
  upc_forall (int i = 0; i < ROWS; i++; &x[i]) x[i] = 1;
  for (int iteration = 0; iteration < iterations; iteration++) {
    *residual = solve();
    zeta = PROBLEM.shift + 1 / dot(x, z);
    const double scale = 1 / sqrt(dot(z, z));
    upc_forall (int i = 0; i < ROWS; i++; &x[i]) x[i] = scale * z[i];
  }
  return zeta;
}

static void prepare(void) {
  matrix = npb_cg_matrix(&PROBLEM, MYTHREAD, THREADS, ROWS);
  x = vector();
  z = vector();
  p = vector();
  q = vector();
  r = vector();
}

int main(void) {
  prepare();
  double residual;
  const double zeta = iterate(PROBLEM.iterations, &residual);
  if (MYTHREAD == 0)
    printf("%d rows: zeta is %.10f, the last residual %.1e: %s\n", ROWS, zeta, residual,
           npb_cg_verified(&PROBLEM, zeta) ? "ok" : "wrong");
  return 0;
}
