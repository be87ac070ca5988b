/* Loops over a thread's own memory, in every form that says so: each element is seen once, by its thread. */
#include "../check.h"
#define B 5
#define N (4 * B)
shared [B] int blocked[N * THREADS];
shared int cyclic[N * THREADS];

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
  /* The test is of the next element, the access of this one. */
  for (int i = 0; i + 1 < n; i++)
    if (upc_threadof(&blocked[i + 1]) == MYTHREAD) blocked[i] += i + 1;
  upc_forall (int i = 0; i + 1 < n; i++; (i + 1) / B) cyclic[i] += i + 1;
  upc_barrier;
  if (MYTHREAD == 0) blocked[n - 1] += n, cyclic[n - 1] += n;
  check(5);
  /* C's division of negative numbers rounds towards zero: -B + 1 to B - 1 are one block. */
  int mine = 0, expected = 0;
  upc_forall (int i = -7; i < 13; i++; i / 3) mine += i;
  for (int i = -7; i < 13; i++)
    if (((i / 3) % THREADS + THREADS) % THREADS == MYTHREAD) expected += i;
  CHECK_EQUAL(mine, expected);
  /* A quotient that loses bits. */
  mine = expected = 0;
  upc_forall (int i = 0; i < 3000; i++; (signed char)(i / 3)) mine += i;
  for (int i = 0; i < 3000; i++)
    if (((signed char)(i / 3) % THREADS + THREADS) % THREADS == MYTHREAD) expected += i;
  CHECK_EQUAL(mine, expected);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
