/* A loop that accesses this thread's own memory, around loops with windows and gathered elements, between accesses of
 * other threads' memory and calls that order accesses: all see what was written before. Also with WEFT_MAP_PEERS=0. */
#include "../check.h"
#define ROWS 40
#define COLUMNS 30
shared double x[COLUMNS * THREADS], *p, *q;
shared [ROWS] double y[ROWS * THREADS], z[ROWS * THREADS];
static int column[ROWS * COLUMNS];
static shared int *log_;

static double noted(int i) { /* accesses shared memory, and orders accesses */
  log_[i] += 1;
  upc_fence;
  return log_[i];
}

int main(void) {
  p = upc_all_alloc(ROWS * THREADS, sizeof *p);
  q = upc_all_alloc(ROWS * THREADS, sizeof *q);
  log_ = upc_all_alloc(ROWS * THREADS, sizeof *log_);
  for (int k = 0; k < ROWS * COLUMNS; k++) column[k] = k * 7 % (COLUMNS * THREADS);
  for (int round = 1; round <= 3; round++) {
    upc_forall (int i = 0; i < COLUMNS * THREADS; i++; &x[i]) x[i] = i * round;
    upc_forall (int i = 0; i < ROWS * THREADS; i++; &p[i]) p[i] = q[i] = log_[i] = 0;
    upc_barrier;
    /* gathered inside, a window inside, a single access, an own one through another pointer */
    upc_forall (int i = 0; i < ROWS * THREADS; i++; &p[i]) {
      double sum = 0;
      for (int k = 0; k < COLUMNS; k++) sum += x[column[i / THREADS * COLUMNS + k]];
      for (int k = 0; k < COLUMNS; k++) sum += x[k];
      p[i] = sum;
      q[i] += p[i] + noted(i);
      y[(i + ROWS) % (ROWS * THREADS)] = p[i];
    }
    upc_barrier;
    for (int i = 0; i < ROWS * THREADS; i++) {
      double sum = 0;
      for (int k = 0; k < COLUMNS; k++) sum += (column[i / THREADS * COLUMNS + k] + k) * round;
      CHECK_EQUAL(p[i], sum);
      CHECK_EQUAL(q[i], sum + 1);
      CHECK_EQUAL(y[(i + ROWS) % (ROWS * THREADS)], sum);
    }
    upc_barrier;
    /* the loop inside reads what this one writes: of the same vector, by another name */
    shared double *again = p;
    upc_forall (int i = 0; i < ROWS * THREADS; i++; &p[i]) {
      double sum = 0;
      p[i] = i;
      for (int k = 0; k <= i; k++) sum += k % THREADS == MYTHREAD ? again[k] : 0;
      p[i] = sum;
    }
    for (int i = MYTHREAD, before = 0; i < ROWS * THREADS; i += THREADS) {
      CHECK_EQUAL(p[i], before + i);
      before += before + i;
      if (i > 20 * THREADS) break;
    }
    upc_barrier;
  }
  /* iterations in blocks, with a barrier's worth of order in each */
  upc_forall (int i = 0; i < ROWS * THREADS; i++; &z[i]) {
    z[i] = i;
    if (i + 1 < ROWS * THREADS) upc_fence;
    z[i] += y[i] * 0;
  }
  upc_barrier;
  for (int i = 0; i < ROWS * THREADS; i++) CHECK_EQUAL(z[i], i);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
