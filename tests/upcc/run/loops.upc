/* Loops in every combination of layout, affinity, step and direction that the optimiser plans, against what the same
 * loop means element by element. A wrong share, run or stride shows as a wrong owner, value or count. */
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
/* Every iteration lo, lo + step, ... < hi ran once, on the thread that `expected` gives. The check is a function: a
 * macro that has it all makes the C compiler's work three times as long. */
static int wanted[30 * 64];
static void check_visits(int line, int lo, int hi, int step) {
  upc_barrier;
  for (int i = 0; i < N; i++) {
    int in = i >= lo && i < hi && (i - lo) % step == 0;
    if (visits[i] == in && (!in || owner[i] == wanted[i])) continue;
    fprintf(stderr, "%s:%d: thread %d of %d: iteration %d ran %d times, last on thread %d, not %d times on %d\n",
            __FILE__, line, MYTHREAD, THREADS, i, visits[i], owner[i], in, wanted[i]);
    upc_global_exit(1);
  }
  clear();
}
#define VISITED(lo, hi, step, expected)                           \
  do {                                                            \
    for (int i = 0; i < N; i++) wanted[i] = (int)(expected);      \
    check_visits(__LINE__, lo, hi, step);                         \
  } while (0)
#define VISIT(i) (visits[i] += 1, owner[i] = MYTHREAD)

static void shares(void) {
  int i;
  CHECK(THREADS <= 64);
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

/* Down, and by steps that are known only at run time. */
static void directions(void) {
  int i, three = THREADS * 0 + 3, none = THREADS * 0;
  clear();
  upc_forall (i = N - 1; i >= 0; i--; &cyclic[i]) VISIT(i);
  CHECK_EQUAL(i, -1);
  VISITED(0, N, 1, i % THREADS);
  upc_forall (i = N - 2; i > 1; i -= 4; &cyclic[i + 1]) VISIT(i);
  CHECK(i <= 1 && i > -3 && (N - 2 - i) % 4 == 0);
  VISITED(N - 2 - (N - 4) / 4 * 4, N, 4, (i + 1) % THREADS);
  upc_forall (i = N - 1; i >= 0; --i; &blocked[i]) VISIT(i);
  VISITED(0, N, 1, i / 7 % THREADS);
  upc_forall (i = N - 1; 2 <= i; i = i - 3; &blocked[N - 1 - i]) VISIT(i);
  VISITED(2, N, 3, (N - 1 - i) / 7 % THREADS);
  upc_forall (i = 0; i < N; i++; &blocked[N - 1 - i]) VISIT(i);
  VISITED(0, N, 1, (N - 1 - i) / 7 % THREADS);
  upc_forall (i = 0; i < N; i += 2; &cyclic[N - 1 - i]) VISIT(i);
  VISITED(0, N, 2, (N - 1 - i) % THREADS);
  upc_forall (long k = N - 1; k >= 0; k--; N - 1 - k) VISIT(k);
  VISITED(0, N, 1, (N - 1 - i) % THREADS);
  upc_forall (unsigned k = N; k > 0; k--; k - 1) VISIT(k - 1);
  VISITED(0, N, 1, i % THREADS);
  upc_forall (i = 1; i < N; i += three; &blocked[i]) VISIT(i);
  VISITED(1, N, 3, i / 7 % THREADS);
  upc_forall (i = 1; i < N; i = three + i; &cyclic[2 + i]) VISIT(i);
  VISITED(1, N, 3, (2 + i) % THREADS);
  upc_forall (i = N - 1; i > 0; i -= three; &star[i]) VISIT(i);
  VISITED(2, N, 3, i / 30);
  upc_forall (i = 2; i < N; i += THREADS; &cyclic[i]) VISIT(i);
  VISITED(2, N, THREADS, i % THREADS);
  upc_forall (i = 0; i < 7 * THREADS; i += 7 * THREADS + none; &blocked[i]) VISIT(i);
  VISITED(0, 1, 1, 0);
  /* Each thread on its own. */
  for (i = MYTHREAD; i < N; i += THREADS) cyclic[i] = 2 * i;
  for (int k = N - THREADS + MYTHREAD; k >= 0; k -= THREADS) cyclic2[k] = cyclic[k] + 1;
  for (int k = 7 * MYTHREAD; k < 7 * THREADS; k += 7 * THREADS)
    for (int m = 6; m >= 0; m--) blocked[k + m] = k + m;
  upc_barrier;
  long sum = 0;
  for (int k = N - 1; k >= 0; k--) sum += cyclic[k] - 2 * k + cyclic2[N - 1 - k] - 2 * (N - 1 - k);
  CHECK_EQUAL(sum, N);
  for (int k = 7 * THREADS - 1; k >= 0; k -= three) sum += blocked[k] - k;
  CHECK_EQUAL(sum, N);
  /* A step that is not positive at run time: the loop as it stands. */
  int turns = 0;
  for (int k = 0; k < 5; k += none) {
    sum += cyclic[k] - 2 * k;
    if (++turns == 3) none = 10;
  }
  CHECK_EQUAL(turns, 3);
  for (unsigned k = 0; k < 7; k++) sum += k > 0 ? cyclic[k - 1] - 2 * (k - 1) : 0;
  for (unsigned k = 0; k < 7; k++)
    if (k > 2) sum += blocked[k - 3] - (k - 3);
  CHECK_EQUAL(sum, N);
  upc_barrier;
}

/* Directories of arrays: the pointer is read once, unless something in the loop may change it. */
static shared [] int *directory[3];
static shared [] int *shared shared_directory[THREADS];
struct node { struct node *next; shared [] int *values; int count; };
static void directories(void) {
  int mine = THREADS * 0 + 1, other = (MYTHREAD + 1) % THREADS;
  shared_directory[MYTHREAD] = directory[mine] = upc_alloc(20 * sizeof(int));
  struct node last = {0, directory[mine], 10}, first = {&last, 0, 0};
  for (int i = 0; i < 20; i++) directory[mine][i] = 100 * MYTHREAD + i;
  upc_barrier;
  long sum = 0;
  for (int i = 0; i < 20; i++) sum += shared_directory[other][i] - 100 * other - i;
  for (int i = 0; i < first.next->count; i++) sum += first.next->values[i] - 100 * MYTHREAD - i;
  CHECK_EQUAL(sum, 0);
  /* Nothing is read through a pointer that the loop might not have read through. */
  directory[2] = NULL;
  struct node *nowhere = NULL;
  for (int i = 0; i < 0; i++) sum += directory[2][i];
  for (int i = 0; i < 3; i++)
    if (nowhere) sum += nowhere->values[i];
  /* The loop changes what it reads through. */
  directory[0] = directory[1] + 5;
  shared [] int **alias = &directory[0];
  for (int i = 0; i < 4; i++) {
    sum += directory[0][i] - 100 * MYTHREAD;
    *alias = *alias + 1;
  }
  CHECK_EQUAL(sum, 5 + 7 + 9 + 11);
  upc_barrier;
  for (int i = 0; i < 3; i++) {
    sum += shared_directory[MYTHREAD][i] - 100 * MYTHREAD;
    shared_directory[MYTHREAD] = shared_directory[MYTHREAD] + 2;
  }
  CHECK_EQUAL(sum, 32 + 0 + 3 + 6);
  upc_barrier;
  upc_free(directory[1]);
}

/* Variables that something else than an assignment changes: library functions, stores through other types. */
static int changed;
static void changes(void) {
  int k = 0;
  long sum = 0;
  char text[12];
  upc_barrier;
  upc_forall (int i = 0; i < N; i++; &cyclic[i]) cyclic[i] = i;
  upc_barrier;
  for (int i = 0; i < 10; i++) {
    snprintf(text, sizeof text, "%d", i);
    sscanf(text, "%d", &k);
    sum += cyclic[k];
  }
  CHECK_EQUAL(sum, 45);
  char *byte = (char *)&changed;
  for (int i = 0; i < 10; i++) {
    *byte = (char)i;
    sum += cyclic[changed];
  }
  CHECK_EQUAL(sum, 90);
  unsigned *other_sign = (unsigned *)&changed;
  for (int i = 0; i < 10; i++) {
    *other_sign = (unsigned)i;
    sum += cyclic[changed];
  }
  CHECK_EQUAL(sum, 135);
  for (int i = 0; i < 10; i++) {
    upc_memget(&changed, &cyclic[i], sizeof changed);
    sum += cyclic[changed];
  }
  CHECK_EQUAL(sum, 180);
  upc_barrier;
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
  RUN(directions);
  RUN(directories);
  RUN(changes);
  RUN(pointers);
  RUN(members);
  RUN(neighbours);
  RUN(dimensions);
  RUN(local);
  RUN(not_counted);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
