/* Loops in every combination of layout, affinity, step and direction that the optimiser plans, against what the same loop
 * means element by element. A wrong share, run or stride shows as a wrong owner, value or count. */
#include "../check.h"

#define N (30 * THREADS)
shared int cyclic[N], cyclic2[N];
shared [7] int blocked[N], blocked2[N];
shared [20] long wide[40 * THREADS];
shared [*] double star[N];
shared [] int one[60];
shared [6] int rows[12 * THREADS][3];
struct pair { short a; int b[2]; };
shared [4] struct pair pairs[N];
shared int owner[N], visits[N];

static void clear(void) {
  upc_barrier;
  if (MYTHREAD == 0)
    for (int i = 0; i < N; i++) {
      owner[i] = -1;
      visits[i] = 0;
    }
  upc_barrier;
}
/* Every iteration lo, lo + step, ... < hi ran once, on the thread that `expected` gives. */
#define VISITED(lo, hi, step, expected)                                       \
  do {                                                                        \
    upc_barrier;                                                              \
    for (int i = 0; i < N; i++) {                                             \
      int in = i >= (lo) && i < (hi) && (i - (lo)) % (step) == 0;             \
      CHECK_EQUAL(visits[i], in);                                             \
      if (in) CHECK_EQUAL(owner[i], (expected));                              \
    }                                                                         \
    clear();                                                                  \
  } while (0)
#define VISIT(i) (visits[i] += 1, owner[i] = MYTHREAD)

static void shares(void) {
  int i;
  clear();
  upc_forall (i = 0; i < N; i++; &cyclic[i]) VISIT(i);
  CHECK_EQUAL(i, N);
  VISITED(0, N, 1, i % THREADS);
  upc_forall (i = 5; i < N; i += 3; &cyclic[i]) VISIT(i);
  VISITED(5, N, 3, i % THREADS);
  upc_forall (i = 1; i <= N / 2 - 2; i += 2; &cyclic[2 * i + 1]) VISIT(i);
  VISITED(1, N / 2 - 1, 2, (2 * i + 1) % THREADS);
  upc_forall (int k = 0; k < N; k++; k + 3) VISIT(k);
  VISITED(0, N, 1, (i + 3) % THREADS);
  upc_forall (long k = 2; k < N; k += 4; 3 * k) VISIT(k);
  VISITED(2, N, 4, 3 * i % THREADS);
  upc_forall (unsigned k = 0; k != N; k++; 7) VISIT(k);
  VISITED(0, N, 1, 7 % THREADS);
  upc_forall (i = 0; i < N; i++; &blocked[i]) VISIT(i);
  VISITED(0, N, 1, i / 7 % THREADS);
  upc_forall (i = 3; i < N - 1; i += 5; &blocked[i + 1]) VISIT(i);
  VISITED(3, N - 1, 5, (i + 1) / 7 % THREADS);
  upc_forall (i = 4; i < N / 10; i++; &blocked[10 * i]) VISIT(i);
  VISITED(4, N / 10, 1, 10 * i / 7 % THREADS);
  upc_forall (i = 0; i < N; i++; &star[i]) VISIT(i);
  VISITED(0, N, 1, i / 30);
  upc_forall (i = 0; i < 20; i++; &one[i]) VISIT(i);
  VISITED(0, 20, 1, 0);
  upc_forall (i = 0; i < 12 * THREADS; i++; &rows[i][0]) VISIT(i);
  VISITED(0, 12 * THREADS, 1, i * 3 / 6 % THREADS);
  upc_forall (i = 2; i < N; i++; pairs + i) VISIT(i);
  VISITED(2, N, 1, i / 4 % THREADS);
  upc_forall (i = N; i < 3; i++; &cyclic[i]) VISIT(i);
  CHECK_EQUAL(i, N);
  VISITED(0, 0, 1, 0);
}

/* Pointers that do not start at an array's start, and layouts that do not match. */
static void pointers(void) {
  shared int *p = cyclic + 4;
  shared [7] int *q = &blocked[5];
  shared [] int *r = one + 2;
  upc_forall (int i = 0; i < N - 10; i++; p + i) p[i] = 3 * i;
  upc_forall (int i = 0; i < N - 10; i++; &q[i]) q[i] = 5 * i;
  upc_barrier;
  upc_forall (int i = 1; i < N - 10; i++; &q[i]) cyclic2[i] = p[i] + q[i - 1] + q[N - 11 - i];
  if (MYTHREAD == THREADS - 1)
    for (int i = 0; i < 50; i++) r[i] = i * i;
  upc_barrier;
  for (int i = 1; i < N - 10; i++) CHECK_EQUAL(cyclic2[i], 3 * i + 5 * (i - 1) + 5 * (N - 11 - i));
  for (int i = 0; i < 50; i++) CHECK_EQUAL(one[i + 2], i * i);
  long sum = 0;
  for (int i = 0; i < N - 10; i++) sum += p[N - 11 - i] - cyclic[N - 7 - i];
  CHECK_EQUAL(sum, 0);
  upc_barrier;
}

static void members(void) {
  upc_forall (int i = 0; i < N; i++; &pairs[i]) {
    pairs[i].a = (short)i;
    for (int j = 0; j < 2; j++) pairs[i].b[j] = 10 * i + j;
    pairs[i].b[1] += pairs[i].a;
  }
  upc_barrier;
  int sum = 0;
  for (int i = 0; i < N; i++) {
    CHECK_EQUAL(pairs[i].b[1], 11 * i + 1);
    sum += pairs[i].b[0] - 10 * pairs[i].a;
  }
  CHECK_EQUAL(sum, 0);
  upc_barrier;
  shared [4] struct pair *p = &pairs[3];
  if (MYTHREAD == THREADS - 1) {
    for (int i = 0; i < 8; i++) p->b[i % 2] += i;
    CHECK_EQUAL(pairs[3].b[0], 30 + 0 + 2 + 4 + 6);
  }
  upc_barrier;
}

/* Neighbours across block ends, also where the first iteration must not touch them. */
static void neighbours(void) {
  upc_forall (int i = 0; i < N; i++; &blocked[i]) blocked[i] = i;
  upc_forall (int i = 0; i < N; i++; &cyclic[i]) cyclic[i] = i;
  upc_barrier;
  upc_forall (int i = 0; i < N; i++; &blocked2[i])
    blocked2[i] = (i > 0 ? blocked[i - 1] : 0) + (i < N - 1 ? blocked[i + 1] : 0) + cyclic[i];
  upc_forall (int i = 1; i < N - 1; i++; &cyclic2[i]) cyclic2[i] = cyclic[i - 1] + 2 * cyclic[i] + cyclic[i + 1];
  upc_barrier;
  int wrong = 0;
  for (int i = 1; i < N - 1; i++) {
    CHECK_EQUAL(blocked2[i], 3 * i);
    CHECK_EQUAL(cyclic2[i], 4 * i);
    wrong += blocked[i - 1] > blocked[i] || cyclic[i] != blocked[i];
  }
  CHECK_EQUAL(wrong, 0);
  for (int i = 0; i < N; i++) wrong += i > 0 && blocked[i - 1] + 1 != blocked[i];
  CHECK_EQUAL(wrong, 0);
  upc_barrier;
}

static void dimensions(void) {
  upc_forall (int i = 0; i < 12 * THREADS; i++; &rows[i][0])
    for (int j = 0; j < 3; j++) rows[i][j] = 100 * i + j;
  upc_barrier;
  long sum = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 12 * THREADS; i++) {
      CHECK_EQUAL(rows[i][j], 100 * i + j);
      sum += rows[i][2 - j];
    }
  long n = 12 * THREADS;
  CHECK_EQUAL(sum, 3 * 100 * (n * (n - 1) / 2) + 3 * n);
  for (int i = 0; i < 40 * THREADS; i++) CHECK_EQUAL(wide[i], 0);
  upc_barrier;
  for (long i = MYTHREAD; i < 40 * THREADS; i += THREADS) wide[i] = -i;
  upc_barrier;
  sum = 0;
  for (int i = 0; i < 20 * THREADS; i++) sum += wide[2 * i] + wide[40 * THREADS - 1 - i] - wide[i];
  long m = 40 * THREADS, expected = 0;
  for (long i = 0; i < 20 * THREADS; i++) expected += -2 * i - (m - 1 - i) + i;
  CHECK_EQUAL(sum, expected);
  upc_barrier;
}

/* Casts to private pointers and tests of affinity. */
static void local(void) {
  upc_forall (int i = 0; i < N; i++; &cyclic[i]) {
    int *p = (int *)&cyclic[i];
    *p = -i;
  }
  upc_barrier;
  int mine = 0;
  for (int i = 0; i < N; i++) {
    shared int *p = &cyclic[i];
    if (upc_threadof(p) == MYTHREAD) {
      *p -= 1;
      mine++;
    }
  }
  CHECK_EQUAL(mine, 30);
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK_EQUAL(cyclic[i], -i - 1);
  upc_barrier;
}

/* What must not be planned wrongly: bounds and indices that change, exits, calls. */
static int limit = 10;
static int shrink(void) { return limit--; }
static void not_counted(void) {
  int seen = 0;
  upc_barrier;
  for (int i = 0; i < limit; i++) {
    seen += one[i] >= 0;
    shrink();
  }
  CHECK_EQUAL(seen, 5);
  limit = 10;
  for (int i = 0; i < 20; i++) {
    if (i == 3) i = 10;
    seen += one[i] * 0 + 1;
  }
  CHECK_EQUAL(seen, 5 + 13);
  int i;
  for (i = 0; i < 60; i++)
    if (one[i] == 25) break;
  CHECK_EQUAL(i, 7);
  for (i = 0; i < 20; i++) {
    if (i % 2) continue;
    seen += one[i] * 0 + 1;
  }
  CHECK_EQUAL(seen, 28);
  CHECK_EQUAL(i, 20);
  shared [] int *p = one;
  for (i = 0; i < 10; i++) {
    seen += p[i] * 0 + (int)(p - one);
    p++;
  }
  CHECK_EQUAL(seen, 28 + 45);
  for (signed char c = 0; c < 20; c++) seen += one[c] * 0 + 1;
  CHECK_EQUAL(seen, 73 + 20);
  upc_barrier;
}

int main(void) {
  RUN(shares);
  RUN(pointers);
  RUN(members);
  RUN(neighbours);
  RUN(dimensions);
  RUN(local);
  RUN(not_counted);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
