/* Trap 4: multi-dimensional and [*] layouts; typedef'd shared arrays; pointer to a shared variable-length array. */
typedef shared [5] int t4_block_t;
typedef int t4_row_t[5];
shared [*] int t4_star[6 * THREADS][4];
shared [5] t4_row_t t4_rows[3 * THREADS];
t4_block_t t4_typed[15 * THREADS];
shared [] int t4_one[30];

static void trap04_dimensions(void) {
  CHECK_EQUAL(upc_blocksizeof(t4_star), 24);
  CHECK_EQUAL(upc_blocksizeof(t4_typed), 5);
  if (MYTHREAD == THREADS - 1) {
    for (int i = 0; i < 6 * THREADS; i++)
      for (int j = 0; j < 4; j++) t4_star[i][j] = 10 * i + j;
    for (int i = 0; i < 3 * THREADS; i++)
      for (int j = 0; j < 5; j++) t4_rows[i][j] = 1000 + 10 * i + j;
  }
  upc_barrier;
  for (int i = 0; i < 6 * THREADS; i++) {
    for (int j = 0; j < 4; j++) {
      CHECK_EQUAL(t4_star[i][j], 10 * i + j);
      CHECK_EQUAL(upc_threadof(&t4_star[i][j]), i / 6);
      CHECK_EQUAL(*(*(t4_star + i) + j), 10 * i + j);
    }
  }
  for (int i = 0; i < 3 * THREADS; i++) {
    CHECK_EQUAL(upc_threadof(&t4_rows[i]), i % THREADS);
    CHECK_EQUAL(t4_rows[i][4], 1004 + 10 * i);
    CHECK_EQUAL(upc_threadof(&t4_typed[5 * i]), i % THREADS);
  }
  int columns = 6;
  if (MYTHREAD == 0)
    for (int i = 0; i < 30; i++) t4_one[i] = i;
  upc_barrier;
  shared [] int (*vla)[columns] = (shared [] int (*)[columns])t4_one;
  columns = 99;  /* the type keeps the length it had */
  CHECK_EQUAL(vla[2][3], 15);
  CHECK_EQUAL(*(vla[4] + 5), 29);
  CHECK_EQUAL((vla + 3) - vla, 3);
}
