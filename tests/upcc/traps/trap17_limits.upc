/* Trap 17: no small limits: large blocks and large arrays. */
shared [1000000] char t17_wide[3000000 * THREADS];
shared [1 << 20] double t17_block[(1 << 20) * THREADS];

static void trap17_limits(void) {
  int peer = (MYTHREAD + 1) % THREADS;
  t17_wide[1000000L * peer + 999999] = 7;
  t17_block[(1L << 20) * peer + 12345] = 2.5;
  upc_barrier;
  CHECK_EQUAL(t17_wide[1000000L * MYTHREAD + 999999], 7);
  CHECK_EQUAL(upc_threadof(&t17_wide[2000000]), 2 % THREADS);
  CHECK_EQUAL(upc_phaseof(&t17_wide[2999999]), 999999);
  CHECK(t17_block[(1L << 20) * MYTHREAD + 12345] == 2.5);
}
