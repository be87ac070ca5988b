/* Trap 5: dynamic sizeof: sizeof(A[0]) is not sizeof(A); the factor THREADS is not lost. */
shared int t5_a[10 * THREADS];
shared [2] double t5_b[3][2 * THREADS];
shared [*] char t5_c[100 * THREADS];

static void trap05_sizes(void) {
  CHECK_EQUAL(sizeof(t5_a), 10 * THREADS * sizeof(int));
  CHECK_EQUAL(sizeof t5_a[0], sizeof(int));
  CHECK_EQUAL(sizeof(t5_a) / sizeof(t5_a[0]), 10 * THREADS);
  CHECK_EQUAL(sizeof(t5_b), 6 * THREADS * sizeof(double));
  CHECK_EQUAL(sizeof(t5_b[0]), 2 * THREADS * sizeof(double));
  CHECK_EQUAL(sizeof(shared int[THREADS]), THREADS * sizeof(int));
  CHECK_EQUAL(upc_elemsizeof(t5_b), sizeof(double));
  CHECK_EQUAL(upc_blocksizeof(t5_b), 2);
  CHECK_EQUAL(upc_localsizeof(t5_a), 10 * sizeof(int));
  CHECK_EQUAL(upc_localsizeof(t5_c), 100);
  CHECK_EQUAL(sizeof(&t5_a), sizeof(shared void *));
  CHECK_EQUAL(&t5_b[1] - &t5_b[0], 1);
  CHECK_EQUAL(&t5_b[1][0] - &t5_b[0][0], 2 * THREADS);
}
