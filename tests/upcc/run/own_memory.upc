/* Loops over a thread's own memory, in every form that says so: each element is seen once, by its thread. */
#include "../check.h"
#define B 10
#define N (40 * B)
shared [B] int blocked[N * THREADS];
shared int cyclic[N * THREADS];
shared [2 * N] int wide[2 * N * THREADS];

static void check(int times) {
  upc_barrier;
  for (int i = 0; i < N * THREADS; i++) {
    CHECK_EQUAL(blocked[i], times * (i + 1));
    CHECK_EQUAL(cyclic[i], times * (i + 1));
  }
  upc_barrier;
}

int main(void) {
  const int n = N * THREADS;
  int visits = 0;
  upc_forall (int i = 0; i < n; i++; i / B) blocked[i] += i + 1, visits++;
  upc_forall (int i = 0; i < n; i++; i) cyclic[i] += i + 1, visits++;
  CHECK_EQUAL(visits, 2 * N);
  check(1);
  upc_forall (int i = n - 1; i >= 0; i--; i / B) blocked[i] += i + 1;
  upc_forall (int i = n - 1; i >= 0; --i; i) cyclic[i] += i + 1;
  check(2);
  upc_forall (int i = 0; i < n; i++; continue) {
    if (upc_threadof(&blocked[i]) == MYTHREAD) blocked[i] += i + 1;
  }
  for (int i = 0; i < n; i++)
    if (MYTHREAD == upc_threadof(&cyclic[i])) cyclic[i] += i + 1;
  check(3);
  for (int i = 0; i < n; i++)
    if (upc_threadof(&blocked[i]) == MYTHREAD && i >= 0) blocked[i] += i + 1;
  upc_forall (long i = 0; i < n; i++; cyclic + i) cyclic[i] += (int)i + 1;
  check(4);
  for (int i = 0; i < n; i++) {
    if (i / B % THREADS != MYTHREAD) continue;
    int *mine = (int *)&blocked[i];
    *mine += i + 1;
  }
  for (int i = n - 1; i >= 0; i--) {
    if (MYTHREAD != i % THREADS) {
      continue;
    }
    if (i % 2) continue;
    cyclic[i] += i + 1;
  }
  upc_forall (int i = 0; i < n; i++; &cyclic[i]) if (i % 2) cyclic[i] += i + 1;
  check(5);
  /* The test is of the next element, the access of this one. */
  for (int i = 0; i + 1 < n; i++)
    if (upc_threadof(&blocked[i + 1]) == MYTHREAD) blocked[i] += i + 1;
  upc_forall (int i = 0; i + 1 < n; i++; (i + 1) / B) cyclic[i] += i + 1;
  upc_barrier;
  if (MYTHREAD == 0) blocked[n - 1] += n, cyclic[n - 1] += n;
  check(6);
  /* C's division of negative numbers rounds towards zero: -B + 1 to B - 1 are one block. */
  int mine = 0, expected = 0;
  upc_forall (int i = -7; i < 13; i++; i / 3) mine += i;
  for (int i = -7; i < 13; i++)
    if (((i / 3) % THREADS + THREADS) % THREADS == MYTHREAD) expected += i;
  CHECK_EQUAL(mine, expected);
  mine = expected = 0;
  for (int i = -7; i < 13; i++) {
    if (i % THREADS != MYTHREAD) continue;
    mine += i;
  }
  for (int i = -7; i < 13; i++) expected += i % THREADS == MYTHREAD ? i : 0;
  CHECK_EQUAL(mine, expected);
  /* Cyclic iterations over blocks. */
  upc_barrier;
  upc_forall (int i = 0; i < n; i++; &cyclic[i]) blocked[i] = cyclic[n - 1 - i];
  upc_barrier;
  for (int i = 0; i < n; i++) CHECK_EQUAL(blocked[i], 6 * (n - i));
  upc_barrier;
  upc_forall (int i = n - 1; i >= 0; i--; i) wide[2 * i + 1] = wide[2 * i] = i;
  upc_barrier;
  for (int i = 0; i < 2 * n; i++) CHECK_EQUAL(wide[i], i / 2);
  /* A quotient that loses bits. */
  mine = expected = 0;
  upc_forall (int i = 0; i < 3000; i++; (signed char)(i / 3)) mine += i;
  for (int i = 0; i < 3000; i++)
    if (((signed char)(i / 3) % THREADS + THREADS) % THREADS == MYTHREAD) expected += i;
  CHECK_EQUAL(mine, expected);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
