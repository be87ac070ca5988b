/* Matrix times vector in three layouts of the matrix. The loop is the same: its affinity expression makes each
 * thread compute the rows that lie with it.
 *   cyclic by elements   shared double a[N][N]      a row is spread over all threads: almost every read is remote
 *   cyclic by rows       shared [N] double a[N][N]  row i lies on thread i mod THREADS
 *   blocks of rows       shared [*] ...             neighbouring rows lie together, as stencils want them */
#include <stdio.h>
#include <upc.h>

#ifndef ROWS /* of a thread */
#define ROWS 16
#endif
#ifndef COLUMNS
#define COLUMNS 64
#endif
#define N (ROWS * THREADS)
shared double by_element[N][COLUMNS];
shared [COLUMNS] double by_row[N][COLUMNS];
shared [*] double by_block[N][COLUMNS];
shared double x[COLUMNS * THREADS];
shared double result[N];

#define MULTIPLY(a)                                            \
  upc_forall (int i = 0; i < N; i++; &a[i][0]) {               \
    double sum = 0;                                            \
    for (int j = 0; j < COLUMNS; j++) sum += a[i][j] * x[j];   \
    result[i] = sum;                                           \
  }                                                            \
  upc_barrier
static void multiply_by_element(void) { MULTIPLY(by_element); }
static void multiply_by_row(void) { MULTIPLY(by_row); }
static void multiply_by_block(void) { MULTIPLY(by_block); }

static void prepare(void) {
  upc_forall (int i = 0; i < N; i++; i)
    for (int j = 0; j < COLUMNS; j++) by_element[i][j] = by_row[i][j] = by_block[i][j] = i;
  upc_forall (int j = 0; j < COLUMNS; j++; &x[j]) x[j] = j + 1;
  upc_barrier;
}

static int wrong(void) {
  for (int i = 0; i < N; i++)
    if (result[i] != i * (double)COLUMNS * (COLUMNS + 1) / 2) return 1;
  return 0;
}

int main(void) {
  prepare();
  int bad = 0;
  multiply_by_element();
  bad += wrong();
  upc_barrier;
  multiply_by_row();
  bad += wrong();
  upc_barrier;
  multiply_by_block();
  bad += wrong();
  if (MYTHREAD == 0) printf("three layouts, one result: %s\n", bad == 0 ? "ok" : "wrong");
  return 0;
}
