/* Trap 15: a thread's own accesses to one place stay in order, also through a private pointer; strict operations drain;
 * a loop that spins on a strict read ends. */
shared int t15_data[THREADS];
strict shared int t15_flag[THREADS];
relaxed shared int t15_relaxed[THREADS];

static void trap15_order(void) {
  int *mine = (int *)&t15_data[MYTHREAD];
  for (int i = 0; i < 100; i++) {
    t15_data[MYTHREAD] = i;
    CHECK_EQUAL(*mine, i);
    *mine = i + 1;
    CHECK_EQUAL(t15_data[MYTHREAD], i + 1);
  }
  t15_flag[MYTHREAD] = 0;
  upc_barrier;
  int next = (MYTHREAD + 1) % THREADS, before = (MYTHREAD + THREADS - 1) % THREADS;
  for (int round = 1; round <= 20; round++) {
    t15_relaxed[next] = 1000 * round + MYTHREAD;
    t15_flag[next] = round;
    while (t15_flag[MYTHREAD] < round) {
    }
    CHECK_EQUAL(t15_relaxed[MYTHREAD], 1000 * round + before);
    upc_barrier round;
  }
}
