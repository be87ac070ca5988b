/* Trap 11: upc_forall: one copy of the body, a depth that survives early exits and calls; loops that do not control
 * still evaluate the affinity expression. */
shared int t11_count[THREADS];
shared int t11_a[6 * THREADS];
static int t11_evaluated;
static int t11_affinity(int i) { t11_evaluated++; return i; }

static void t11_inner(int n) {
  upc_forall (int k = 0; k < n; k++; t11_affinity(k)) t11_count[MYTHREAD]++;
}
static int t11_early(int n) {
  upc_forall (int k = 0; k < n; k++; k)
    if (k >= 0) return 1;
  return 0;
}

static void trap11_forall(void) {
  int n = 5 * THREADS;
  t11_count[MYTHREAD] = 0;
  /* Alone, the loop divides the work. */
  t11_evaluated = 0;
  t11_inner(n);
  CHECK_EQUAL(t11_count[MYTHREAD], 5);
  CHECK_EQUAL(t11_evaluated, n);
  /* Under a controlling loop it does not, but evaluates its affinity. */
  t11_count[MYTHREAD] = 0;
  t11_evaluated = 0;
  upc_forall (int i = 0; i < THREADS; i++; i) t11_inner(n);
  CHECK_EQUAL(t11_count[MYTHREAD], n);
  CHECK_EQUAL(t11_evaluated, n);
  /* `continue` does not control: the next one in does. */
  t11_count[MYTHREAD] = 0;
  upc_forall (int i = 0; i < 3; i++; continue)
    upc_forall (int j = 0; j < n; j++; &t11_a[j])
      upc_forall (int k = 0; k < 2; k++; k) t11_count[MYTHREAD]++;
  CHECK_EQUAL(t11_count[MYTHREAD], 3 * 5 * 2);
  upc_forall (int i = 0; i < 3; i++;) t11_count[MYTHREAD]++;
  CHECK_EQUAL(t11_count[MYTHREAD], 33);
  /* Early exits restore the depth. */
  CHECK_EQUAL(t11_early(n), 1);
  upc_forall (int i = 0; i < n; i++; i) break;
  upc_forall (int i = 0; i < n; i++; i) goto out;
out:
  t11_count[MYTHREAD] = 0;
  t11_inner(n);
  CHECK_EQUAL(t11_count[MYTHREAD], 5);
  /* continue goes to the end of the body; the index ends where a for loop's does. */
  int i;
  t11_count[MYTHREAD] = 0;
  upc_forall (i = 1; i < n; i += 2; i) {
    if (i % 4 == 1) continue;
    t11_count[MYTHREAD] += i;
  }
  CHECK_EQUAL(i, n % 2 ? n : n + 1);
  upc_barrier;
  int total = 0, expected = 0;
  for (int t = 0; t < THREADS; t++) total += t11_count[t];
  for (int k = 1; k < n; k += 2) expected += k % 4 == 1 ? 0 : k;
  CHECK_EQUAL(total, expected);
}
