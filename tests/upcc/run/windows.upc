/* Loops over other threads' memory, where what is read ahead or written later could be seen: nests and pointers that
 * meet, neighbours' writes between this thread's, calls that synchronise, ways out of a loop. */
#include <setjmp.h>
#include <stdlib.h>
#include <upc_relaxed.h>

#include "../check.h"
#define N 64
shared [N] int a[N * THREADS], b[N * THREADS];
shared [N] int matrix[THREADS][N];
shared int cyclic[N * THREADS];
shared int flag[THREADS];
struct item {
  char name;
  int value;
  unsigned low : 3, high : 9;
  union {
    int i;
    float f;
  } u;
};
shared [N] struct item items[N * THREADS];
static jmp_buf out;

static void fill(void) {
  upc_barrier;
  upc_forall (int i = 0; i < N * THREADS; i++; &a[i]) {
    a[i] = i;
    b[i] = 3 * i;
    matrix[i / N][i % N] = i;
    items[i].name = (char)(i % 100);
    items[i].value = i;
    items[i].low = (unsigned)i % 8;
    items[i].high = (unsigned)i % 512;
    items[i].u.i = i;
  }
  upc_forall (int i = 0; i < N * THREADS; i++; i) cyclic[i] = i;
  upc_barrier;
}

/* y[i] is written in the outer loop and read, as y[j], in the inner one. */
static void accumulate(int first, int expected[N]) {
  for (int i = 0; i < N; i++) expected[i] = first + i;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) expected[i] += (first + j) % 3 * (expected[j] % 5);
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) a[first + i] += matrix[first / N][j] % 3 * (a[first + j] % 5);
  }
}
static void reverse(shared [] int *p, shared [] int *q) {
  for (int i = 0; i < N; i++) p[i] = q[N - 1 - i] + i;
}
static void shift(shared [] int *p, shared [] int *q, int n) {
  for (int i = 0; i < n; i++) p[i] = q[i];
}
static void wait_for(int value) {
  while (flag[MYTHREAD] != value) upc_fence;
}
static int tell(int to, int value) {
  flag[to] = value;
  upc_fence;
  return 0;
}
static int leave(int i) {
  if (i == 20) longjmp(out, 1);
  return i;
}
static int compare(const void *x, const void *y) {
  a[((MYTHREAD + 1) % THREADS) * N]++; /* what nobody expects of a comparison */
  return *(const int *)x - *(const int *)y;
}
static int find(int first, int wanted) {
  for (int i = 0; i < N; i++)
    if (a[first + i] == wanted) return i;
  return -1;
}

int main(void) {
  const int next = (MYTHREAD + 1) % THREADS, first = next * N;
  int expected[N];

  fill();
  accumulate(first, expected);
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK_EQUAL(a[first + i], expected[i]);

  fill();
  reverse((shared [] int *)&a[first], (shared [] int *)&a[first]); /* onto itself */
  for (int i = 0; i < N; i++) expected[i] = first + i;
  for (int i = 0; i < N; i++) expected[i] = expected[N - 1 - i] + i;
  for (int i = 0; i < N; i++) CHECK_EQUAL(a[first + i], expected[i]);

  fill();
  shift((shared [] int *)&a[first + 1], (shared [] int *)&a[first], N - 1); /* the first number, everywhere */
  for (int i = 0; i < N; i++) CHECK_EQUAL(a[first + i], first);
  upc_barrier;
  fill();
  shift((shared [] int *)&a[first], (shared [] int *)&a[first + 1], N - 1);
  for (int i = 0; i + 1 < N; i++) CHECK_EQUAL(a[first + i], first + i + 1);

  /* Every thread writes its elements of a part of thread 0's, and no others. */
  fill();
  for (int i = 0; i < N; i++)
    if (i % THREADS == MYTHREAD) a[i] = -i;
  for (int i = MYTHREAD; i < N; i += THREADS) b[i] = -b[i];
  for (int i = 0; i < N; i++) items[first + i].value++;
  for (int i = 0; i < N; i++) items[first + i].high = 511 - items[first + i].high;
  for (int i = 0; i < N; i++) {
    items[first + i].u.f = 0.0f;
    cyclic[i * THREADS + next] += items[first + i].u.i;
  }
  upc_barrier;
  for (int i = 0; i < N; i++) {
    CHECK_EQUAL(a[i], -i);
    CHECK_EQUAL(b[i], -3 * i);
    CHECK_EQUAL(items[first + i].name, (first + i) % 100);
    CHECK_EQUAL(items[first + i].value, first + i + 1);
    CHECK_EQUAL(items[first + i].low, (first + i) % 8);
    CHECK_EQUAL(items[first + i].high, 511 - (first + i) % 512);
    CHECK_EQUAL(cyclic[i * THREADS + next], i * THREADS + next);
  }

  /* What is written before a call that others wait for must be there: one thread after the other adds 1. */
  fill();
  flag[MYTHREAD] = 0;
  upc_barrier;
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < 4; i++) {
      if (MYTHREAD != 0 || turn + i != 0) wait_for(4 * turn + i + 1);
      a[N - 1] += 1;
      b[i] = a[N - 1];
      tell(next, 4 * turn + i + 1 + (next == 0));
    }
  }
  upc_barrier;
  CHECK_EQUAL(a[N - 1], N - 1 + 12 * THREADS);

  /* Ways out. */
  fill();
  CHECK_EQUAL(find(first, first + 37), 37);
  CHECK_EQUAL(find(first, -1), -1);
  volatile int stopped = 0;
  if (setjmp(out) == 0) {
    for (int i = 0; i < N; i++) b[first + i] = leave(i);
  } else {
    stopped = 1;
  }
  CHECK(stopped);
  for (int i = 0; i < 20; i++) CHECK_EQUAL(b[first + i], i);
  for (int i = 20; i < N; i++) CHECK_EQUAL(b[first + i], 3 * (first + i));

  /* A call that calls back. */
  upc_barrier;
  for (int i = 0; i < 3; i++) {
    int two[2] = {2, 1};
    a[first] = i;
    qsort(two, 2, sizeof two[0], compare);
    CHECK(a[first] > i);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
