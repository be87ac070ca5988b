/* Loops whose affinity is a pointer, or an integer, and whose accesses go through other pointers: those begin with the
 * affinity, or in another phase, on another thread, or where an array of another layout is. Each element is seen once.
 * Also with WEFT_MAP_PEERS=0. */
#include "../check.h"
#define B 10
#define LENGTH (6 * B)
shared [B] int blocked[LENGTH * THREADS];
shared int cyclic[LENGTH * THREADS];
shared [2] int pairs[LENGTH * THREADS];
typedef shared [B] int *in_blocks;
typedef shared int *around;
typedef shared [] int *in_one;

#define NOINLINE __attribute__((noinline)) static
/* Each adds to its n elements from q on, in iterations divided as p says. */
NOINLINE void add_blocked(in_blocks p, in_blocks q, int n) {
  upc_forall (int i = 0; i < n; i++; p + i) *(q + i) += 1;
}
NOINLINE void add_blocked_and_index(in_blocks p, in_blocks q, int n) {
  upc_forall (int i = 0; i < n; i++; &p[i]) q[i] += i % 7;
}
NOINLINE void add_blocked_down(in_blocks p, in_blocks q, int n) {
  upc_forall (int i = n - 1; i >= 0; i--; p + i) *(q + i) += 1;
}
NOINLINE void add_blocked_twice(in_blocks p, in_blocks q, int n) {
  upc_forall (int i = 0; i < n; i += 2; p + i) q[i] += 1;
  upc_forall (int i = 1; i < n; i += 2; p + i) q[i] += 1;
}
NOINLINE void add_blocked_ahead(in_blocks p, in_blocks q, int n) {
  in_blocks before = q - 1;
  upc_forall (int i = 0; i < n; i++; p + i) before[i + 1] += q[i] / 1000 + 1;
}
NOINLINE void add_if_tested(in_blocks p, in_blocks q, int n) {
  for (int i = 0; i < n; i++)
    if (upc_threadof(p + i) == MYTHREAD) q[i] += 1;
}
NOINLINE void add_pairs(shared [2] int *p, shared [2] int *q, int n) {
  upc_forall (long i = 0; i < n; i++; p + i) *(q + i) += 1;
}
NOINLINE void add_cyclic(around p, around q, int n) {
  upc_forall (int i = 0; i < n; i++; p + i) *(q + i) += 1;
}
NOINLINE void add_every_third(around p, around q, int n) {
  for (int k = 0; k < 3; k++)
    upc_forall (int i = k; i < n; i += 3; &p[i]) q[i] += 1;
}
NOINLINE void add_by_integer(around q, int n) {
  upc_forall (unsigned i = 0; i < (unsigned)n; i++; i) q[i] += 1;
}
NOINLINE void add_by_quotient(in_blocks q, int n) {
  upc_forall (int i = 0; i < n; i++; i / B) q[i] += 1;
}
NOINLINE void add_of_one(in_one p, in_one q, int n) {
  upc_forall (int i = 0; i < n; i++; p + i) *(q + i) += 1;
}
/* Another layout than the affinity's. */
NOINLINE void add_around(in_blocks p, around q, int n) {
  upc_forall (int i = 0; i < n; i++; p + i) q[i] += 1;
}

static int expected(int i, int first, int n, int turns) { return i >= first && i < first + n ? turns : 0; }
static void clear(void) {
  upc_barrier;
  upc_forall (int i = 0; i < LENGTH * THREADS; i++; &blocked[i]) blocked[i] = 0;
  upc_forall (int i = 0; i < LENGTH * THREADS; i++; &cyclic[i]) cyclic[i] = 0;
  upc_forall (int i = 0; i < LENGTH * THREADS; i++; &pairs[i]) pairs[i] = 0;
  upc_barrier;
}

static void check(int first, int n, int to_blocked, int to_cyclic, int to_pairs) {
  upc_barrier;
  for (int i = 0; i < LENGTH * THREADS; i++) {
    const int with_index = i >= first && i < first + n ? (i - first) % 7 : 0;
    CHECK_EQUAL(blocked[i], expected(i, first, n, to_blocked) + with_index);
    CHECK_EQUAL(cyclic[i], expected(i, first, n, to_cyclic));
    CHECK_EQUAL(pairs[i], expected(i, first, n, to_pairs));
  }
}

static void from(int affinity, int first, int n) {
  clear();
  add_blocked(blocked + affinity, blocked + first, n);
  upc_barrier;
  add_blocked_and_index(blocked + affinity, blocked + first, n);
  upc_barrier;
  add_blocked_down(blocked + affinity, blocked + first, n);
  upc_barrier;
  add_blocked_twice(blocked + affinity, blocked + first, n);
  upc_barrier;
  if (first > 0) add_blocked_ahead(blocked + affinity, blocked + first, n);
  upc_barrier;
  add_if_tested(blocked + affinity, blocked + first, n);
  upc_barrier;
  add_by_quotient(blocked + first, n);
  add_pairs(pairs + affinity, pairs + first, n);
  add_cyclic(cyclic + affinity, cyclic + first, n);
  upc_barrier;
  add_every_third(cyclic + affinity, cyclic + first, n);
  upc_barrier;
  add_by_integer(cyclic + first, n);
  upc_barrier;
  add_around(blocked + affinity, cyclic + first, n);
  check(first, n, first > 0 ? 6 : 5, 4, 1);
}

int main(void) {
  const int all = LENGTH * THREADS;
  static const int firsts[] = {0, 1, 2, B - 1, B, B + 1, 2 * B, 2 * B + 3};
  static const int lengths[] = {0, 1, B, 2 * B + 1};
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++) from(firsts[a], firsts[b], lengths[(a + b) % 4]);
  from(0, 0, all);
  from(B, B, all - B);
  from(0, B * THREADS < all ? B * THREADS : 0, all - B * THREADS); /* round once, back on the same thread */
  from(B * THREADS + 3, 3, 4 * B);
  /* On one thread: the same, and another. */
  static shared int *shared ones[THREADS];
  ones[MYTHREAD] = (shared int *)upc_alloc(LENGTH * sizeof(int));
  in_one mine = (in_one)ones[MYTHREAD];
  for (int i = 0; i < LENGTH; i++) mine[i] = 0;
  upc_barrier;
  const int next = (MYTHREAD + 1) % THREADS;
  add_of_one((in_one)ones[0], (in_one)ones[0], LENGTH); /* all threads: the affinity's does it */
  upc_barrier;
  add_of_one((in_one)&blocked[0], (in_one)ones[THREADS - 1], LENGTH);
  upc_barrier;
  CHECK_EQUAL(((in_one)ones[next])[LENGTH - 1], (next == 0) + (next == THREADS - 1));
  /* No iterations: the pointers may be null. */
  add_blocked(NULL, NULL, 0);
  add_cyclic(NULL, NULL, 0);
  add_of_one(NULL, NULL, 0);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
