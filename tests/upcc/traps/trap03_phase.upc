/* Trap 3: the phase reset of a cast keys on the ultimate element size: int to int[10] keeps it. Chains of casts. */
shared [20] int t3_a[40 * THREADS];

static void trap03_phase(void) {
  shared [20] int *p = &t3_a[7];
  CHECK_EQUAL(upc_phaseof(p), 7);
  shared [20] int (*rows)[10] = (shared [20] int (*)[10])p;
  CHECK_EQUAL(upc_phaseof(rows), 7);
  CHECK_EQUAL(upc_phaseof((shared [20] unsigned *)p), 7);
  CHECK_EQUAL(upc_phaseof((shared [20] short *)p), 0);
  CHECK_EQUAL(upc_phaseof((shared [10] int *)p), 0);
  CHECK_EQUAL(upc_phaseof((shared int *)p), 0);
  CHECK_EQUAL(upc_phaseof((shared [] int *)p), 0);
  shared void *v = p;
  CHECK_EQUAL(upc_phaseof(v), 7);
  CHECK_EQUAL(upc_phaseof((shared [20] int *)v), 7);
  CHECK_EQUAL(upc_phaseof((shared [] int *)v), 0);
  CHECK_EQUAL(upc_phaseof((shared int *)(shared void *)p), 0);
  CHECK((shared [20] int *)(shared void *)p == p);
  CHECK_EQUAL((shared [20] int *)(shared void *)(p + 3) - p, 3);
  /* Steps before and after a chain of casts: 7 + 1 is phase 8; as indefinite there is none. */
  CHECK_EQUAL(upc_phaseof((shared [20] int *)((shared [] int *)(p + 1)) + 2), 2);
  CHECK_EQUAL(upc_phaseof((shared [20] unsigned *)(p + 1) + 2), 10);
  if (upc_threadof(p) == MYTHREAD) {
    int *local = (int *)p;
    *local = 4711;
    CHECK_EQUAL(*(int *)(shared void *)p, 4711);
    CHECK_EQUAL(t3_a[7], 4711);
  }
  shared [20] int *null = 0;
  CHECK((int *)null == NULL);
}
