/* Trap 1: negative offsets need floor division, not C's: p + i - 1 across threads. */
shared int t1_cyclic[8 * THREADS];
shared [3] int t1_blocked[12 * THREADS];

static void trap01_negative_offsets(void) {
  int n = 8 * THREADS;
  if (MYTHREAD == 0) {
    for (int i = 0; i < n; i++) t1_cyclic[i] = i;
    for (int i = 0; i < 12 * THREADS; i++) t1_blocked[i] = 100 + i;
  }
  upc_barrier;
  shared int *end = &t1_cyclic[n - 1];
  for (int back = 0; back < n; back++) {
    shared int *p = end - back;
    CHECK_EQUAL(*p, n - 1 - back);
    CHECK_EQUAL(upc_threadof(p), (n - 1 - back) % THREADS);
  }
  for (int i = 1; i < n; i++) {
    shared int *p = t1_cyclic;
    CHECK_EQUAL(*(p + i - 1), i - 1);
    p += i;
    p -= 1;
    CHECK_EQUAL(*p, i - 1);
    CHECK_EQUAL(p[-(i - 1)], 0);
    CHECK_EQUAL(*(-1 + &p[1]), i - 1);
  }
  shared [3] int *q = &t1_blocked[12 * THREADS - 1];
  for (int i = 12 * THREADS - 1; i >= 0; i--, q--) {
    CHECK_EQUAL(*q, 100 + i);
    CHECK_EQUAL(upc_phaseof(q), i % 3);
    CHECK_EQUAL(upc_threadof(q), i / 3 % THREADS);
    CHECK_EQUAL(q[-i], 100);
  }
}
