/* Trap 2: subtraction and comparison of blocked pointers, also to arrays. */
shared [4] int t2_a[20 * THREADS];
shared [6] int t2_rows[12 * THREADS][3];
shared [] int t2_local[64];

static void trap02_subtraction(void) {
  int n = 20 * THREADS;
  for (int i = 0; i < n; i += 3) {
    for (int j = 0; j < n; j += 5) {
      shared [4] int *p = &t2_a[i], *q = &t2_a[j];
      CHECK_EQUAL(p - q, i - j);
      CHECK_EQUAL(p < q, i < j);
      CHECK_EQUAL(p <= q, i <= j);
      CHECK_EQUAL(p > q, i > j);
      CHECK_EQUAL(p >= q, i >= j);
      CHECK_EQUAL(p == q, i == j);
      CHECK_EQUAL(p != q, i != j);
    }
  }
  shared [6] int (*r)[3] = t2_rows;
  for (int i = 0; i < 12 * THREADS; i++) {
    CHECK_EQUAL((r + i) - r, i);
    CHECK_EQUAL(upc_threadof(r + i), i * 3 / 6 % THREADS);
    CHECK(r + i >= r && !(r + i < r));
  }
  CHECK_EQUAL(&t2_local[60] - &t2_local[3], 57);
  CHECK(&t2_local[1] > &t2_local[0]);
}
