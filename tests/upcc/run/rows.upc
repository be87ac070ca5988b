/* Loops over rows of a matrix, whose affinity goes on by whole blocks: each row's iteration runs once, on the row's
 * thread, and what it reads and writes is what the loop says. */
#include <upc_relaxed.h>

#include "../check.h"
#define ROWS 24
#define C 6
shared [C] int a[ROWS * THREADS][C], b[ROWS * THREADS][C];
shared [3] int half[ROWS * THREADS][C];
shared int x[C * THREADS], sums[ROWS * THREADS], runs[ROWS * THREADS];
#define N (ROWS * THREADS)

static void fill(void) {
  upc_forall (int i = 0; i < N; i++; i) {
    for (int j = 0; j < C; j++) {
      a[i][j] = 10 * i + j;
      b[i][j] = half[i][j] = 0;
    }
    sums[i] = runs[i] = 0;
  }
  upc_forall (int j = 0; j < C; j++; &x[j]) x[j] = j + 1;
  upc_barrier;
}

/* Rows first, first + step, ... before the end have run once, the others not. */
static void check_runs(int first, int step, int end) {
  upc_barrier;
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) CHECK_EQUAL(runs[i], i >= first && i < end && (i - first) % step == 0);
  upc_barrier;
}

static void products(void) {
  fill();
  upc_forall (int i = 0; i < N; i++; &a[i][0]) {
    int sum = 0;
    for (int j = 0; j < C; j++) sum += a[i][j] * x[j];
    sums[i] = sum;
    runs[i]++;
    CHECK_EQUAL(upc_threadof(&a[i][C - 1]), MYTHREAD);
  }
  check_runs(0, 1, N);
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) {
      int sum = 0;
      for (int j = 0; j < C; j++) sum += (10 * i + j) * (j + 1);
      CHECK_EQUAL(sums[i], sum);
    }
}

/* The row's own element, another array's at the same place, and neighbours on other threads. */
static void columns(void) {
  fill();
  upc_forall (int i = 1; i < N - 1; i++; &a[i][2]) {
    b[i][2] = a[i][2] - a[i - 1][2] + a[i + 1][3];
    runs[i]++;
  }
  check_runs(1, 1, N - 1);
  upc_forall (int i = 0; i < N; i++; &b[i][2]) CHECK_EQUAL(b[i][2], i == 0 || i == N - 1 ? 0 : 10 * i + 23);
}

static void steps(void) {
  for (int step = 1; step < 8; step++) {
    fill();
    upc_forall (int i = 3; i < N; i += 5; &a[i][1]) a[i][1] += runs[i]++;
    check_runs(3, 5, N);
    fill();
    upc_forall (int i = 2; i < N; i += step; &a[i][C - 1]) { /* a step that is not known */
      b[i][C - 1] = a[i][C - 1];
      runs[i]++;
    }
    check_runs(2, step, N);
    upc_forall (int i = 0; i < N; i++; &b[i][0])
      CHECK_EQUAL(b[i][C - 1], i >= 2 && (i - 2) % step == 0 ? 10 * i + C - 1 : 0);
  }
}

static void backward(void) {
  fill();
  upc_forall (int i = N - 1; i >= 0; i--; &a[i][0]) {
    a[i][0] += i;
    runs[i]++;
  }
  check_runs(0, 1, N);
  upc_forall (int i = 0; i < N; i++; &a[i][0]) CHECK_EQUAL(a[i][0], 11 * i);
  fill();
  upc_forall (int i = 0; i < N; i++; &a[N - 1 - i][1]) {
    a[N - 1 - i][1]++;
    runs[N - 1 - i]++;
    CHECK_EQUAL(upc_threadof(&a[N - 1 - i][1]), MYTHREAD);
  }
  check_runs(0, 1, N);
  upc_forall (int i = 0; i < N; i++; &a[i][0]) CHECK_EQUAL(a[i][1], 10 * i + 2);
}

/* Two and three blocks an iteration, from a phase other than 0. */
static void blocks(void) {
  fill();
  upc_forall (int i = 0; i < N; i++; &half[i][4]) {
    half[i][4] = i;
    half[i][1] = -i;
    runs[i]++;
    CHECK_EQUAL(upc_threadof(&half[i][4]), MYTHREAD);
  }
  check_runs(0, 1, N);
  shared [2] int *p = (shared [2] int *)upc_all_alloc((size_t)N * 3, 2 * sizeof(int));
  upc_forall (int i = 0; i < N; i++; p + (6 * i + 1)) {
    *(p + (6 * i + 1)) = i;
    p[6 * i + 4] = 2 * i;
    CHECK_EQUAL(upc_threadof(p + (6 * i + 1)), MYTHREAD);
  }
  upc_barrier;
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) {
      CHECK_EQUAL(half[i][4], i);
      CHECK_EQUAL(half[i][1], -i);
      CHECK_EQUAL(p[6 * i + 1], i);
      CHECK_EQUAL(p[6 * i + 4], 2 * i);
    }
  upc_barrier;
  if (MYTHREAD == 0) upc_free(p);
}

/* Rows seen as private memory. */
static void casts(void) {
  fill();
  upc_forall (int i = 0; i < N; i++; &a[i][0]) {
    int *row = (int *)&a[i][0];
    for (int j = 0; j < C; j++) row[j] = -row[j];
  }
  upc_barrier;
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < C; j++) CHECK_EQUAL(a[i][j], -(10 * i + j));
}

int main(void) {
  RUN(products);
  RUN(columns);
  RUN(steps);
  RUN(backward);
  RUN(blocks);
  RUN(casts);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
