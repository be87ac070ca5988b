/* Arrays that a loop reads again and again, which are copied whole meanwhile: each read gives what it gives element by
 * element, also where the loop changes the array after all. */
#include "../check.h"

#define N 40
#define TURNS 30
shared int cyclic[N * THREADS];
shared [3] double by_three[N * THREADS];
shared [*] long by_thread[N * THREADS];
shared [N] short by_n[N * THREADS];
shared unsigned char bytes[N * THREADS];
shared int written[N * THREADS];
static int place[N];

static void fill(void) {
  upc_forall (int i = 0; i < N * THREADS; i++; i) {
    cyclic[i] = 3 * i + 1;
    by_three[i] = 5 * i + 2;
    by_thread[i] = 7 * i + 3;
    by_n[i] = (short)(i + 4);
    bytes[i] = (unsigned char)(i + 5);
    written[i] = 0;
  }
  for (int k = 0; k < N; k++) place[k] = (k * 7 + 3) % N * THREADS + (k + MYTHREAD) % THREADS;
  upc_barrier;
}

/* Sums of the numbers that the arrays have. */
static long of_places(int factor, int plus) {
  long sum = 0;
  for (int k = 0; k < N; k++) sum += (long)factor * place[k] + plus;
  return sum;
}

static void layouts(void) {
  fill();
  long a = 0, b = 0, c = 0, d = 0, e = 0;
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < N; k++) {
      a += cyclic[place[k]];
      b += (long)by_three[place[k]];
      c += by_thread[place[k]];
      d += by_n[place[k]];
      e += bytes[place[k]];
    }
  CHECK_EQUAL(a, TURNS * of_places(3, 1));
  CHECK_EQUAL(b, TURNS * of_places(5, 2));
  CHECK_EQUAL(c, TURNS * of_places(7, 3));
  CHECK_EQUAL(d, TURNS * of_places(1, 4));
  long bytes_of_them = 0;
  for (int k = 0; k < N; k++) bytes_of_them += (unsigned char)(place[k] + 5);
  CHECK_EQUAL(e, TURNS * bytes_of_them);
}

/* From thread to thread, up and down, and in steps. */
static void by_steps(void) {
  fill();
  long up = 0, down = 0, wide = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N * THREADS; k++) up += cyclic[k] * (long)k;
    for (int k = N * THREADS - 1; k >= 0; k--) down += cyclic[k] * (long)(k + turn);
    for (int k = 0; k < N; k += 3) wide += cyclic[k * THREADS / 2];
  }
  long up_once = 0, sum = 0, wide_once = 0;
  for (int k = 0; k < N * THREADS; k++) up_once += (3 * k + 1) * (long)k, sum += 3 * k + 1;
  for (int k = 0; k < N; k += 3) wide_once += 3 * (k * THREADS / 2) + 1;
  CHECK_EQUAL(up, TURNS * up_once);
  CHECK_EQUAL(down, TURNS * up_once + TURNS * (TURNS - 1) / 2 * sum);
  CHECK_EQUAL(wide, TURNS * wide_once);
}

static long read_again(shared int *p, int turns) {
  long sum = 0;
  for (int turn = 0; turn < turns; turn++)
    for (int k = 0; k < N; k++) sum += p[place[k]];
  return sum;
}

static long read_all(shared int *p, int count) {
  long sum = 0;
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < count; k++) sum += p[k];
  return sum;
}

/* Allocated memory: what begins there is known. Another array comes to lie at the same place, larger and smaller. */
static void allocated(void) {
  fill();
  for (int round = 0; round < 4; round++) {
    const int count = N * THREADS * (round == 1 ? 30 : 20);
    shared int *p = upc_all_alloc((size_t)count, sizeof(int));
    upc_forall (int i = 0; i < count; i++; &p[i]) p[i] = 11 * i + round;
    upc_barrier;
    const long all = 11l * count * (count - 1) / 2 + round * (long)count;
    CHECK_EQUAL(read_all(p, count), TURNS * all);
    CHECK_EQUAL(read_again(p, TURNS), TURNS * of_places(11, round));
    upc_barrier;
    upc_forall (int i = 0; i < count; i++; &p[i]) p[i] += 1; /* what a copy held is old */
    upc_barrier;
    CHECK_EQUAL(read_again(p, TURNS), TURNS * of_places(11, round + 1));
    CHECK_EQUAL(read_again(p, 1), of_places(11, round + 1));
    CHECK_EQUAL(read_all(p, count), TURNS * (all + count));
    upc_barrier;
    if (round == 0) /* from the middle of it */
      for (int k = 0; k < N; k++) place[k] = place[k] / 2;
    if (round == 0) CHECK_EQUAL(read_again(p + N / 2, TURNS), TURNS * of_places(11, 11 * (N / 2) + 1));
    if (round == 0) CHECK_EQUAL(read_again(&p[1], TURNS), TURNS * of_places(11, 12));
    upc_barrier;
    if (MYTHREAD == 0) upc_free(p);
    upc_barrier;
  }
}

/* One thread's memory, and a pointer that says so. */
static void of_one_thread(void) {
  shared [] long *shared *all = upc_all_alloc(THREADS, sizeof *all);
  fill();
  shared [] long *own = upc_alloc(N * sizeof(long));
  for (int i = 0; i < N; i++) own[i] = 100 * MYTHREAD + i;
  all[MYTHREAD] = own;
  upc_barrier;
  const int other = (MYTHREAD + 1) % THREADS;
  shared [] long *p = all[other];
  long sum = 0, once = 0;
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < N; k++) sum += p[place[k] % N];
  for (int k = 0; k < N; k++) once += 100 * other + place[k] % N;
  CHECK_EQUAL(sum, TURNS * once);
  upc_barrier;
  upc_free(own);
  if (MYTHREAD == 0) upc_free(all);
}

/* The loop writes the array by another name. */
static long through_another(shared int *p, shared int *q) {
  long sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N; k++) sum += p[place[k]];
    q[place[turn % N]] += 1;
  }
  return sum;
}
static void aliases(void) {
  shared int *p = upc_all_alloc(2 * N * THREADS, sizeof(int));
  fill();
  upc_forall (int i = 0; i < 2 * N * THREADS; i++; &p[i]) p[i] = 11 * i;
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    long changed = 0;
    for (int turn = 0; turn < TURNS; turn++) changed += TURNS - 1 - turn;
    CHECK_EQUAL(through_another(p, written), TURNS * of_places(11, 0));
    CHECK_EQUAL(through_another(p, p), TURNS * of_places(11, 0) + changed);
    CHECK_EQUAL(through_another(p, p + N * THREADS), TURNS * (of_places(11, 0) + TURNS)); /* another part of it */
    CHECK_EQUAL(through_another(p + N * THREADS, p), TURNS * (of_places(11, 11 * N * THREADS) + TURNS));
  }
  upc_barrier;
  if (MYTHREAD == 0) upc_free(p);
}

/* ... or a private pointer, in the loop itself or in a function that it calls. */
static void add_one(int *at) { *at += 1; }
static void private_stores(void) {
  fill();
  if (MYTHREAD != THREADS - 1) return;
  int *own = (int *)&cyclic[MYTHREAD];
  long sum = 0, called = 0, other_type = 0;
  double results[TURNS];
  double *at = results;
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N * THREADS; k++) sum += cyclic[k] * (k % THREADS == MYTHREAD);
    own[turn % N] += 1;
  }
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N * THREADS; k++) called += cyclic[k] * (k % THREADS == MYTHREAD);
    add_one(&own[turn % N]);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N * THREADS; k++) other_type += cyclic[k] * (k % THREADS == MYTHREAD);
    at[turn] = turn;
  }
  long once = 0;
  for (int k = MYTHREAD; k < N * THREADS; k += THREADS) once += 3 * k + 1;
  CHECK_EQUAL(sum, TURNS * once + TURNS * (TURNS - 1) / 2);
  CHECK_EQUAL(called, TURNS * (once + TURNS) + TURNS * (TURNS - 1) / 2);
  CHECK_EQUAL(other_type, TURNS * (once + 2 * TURNS));
  CHECK_EQUAL(results[TURNS - 1], TURNS - 1);
}

/* The pointer changes, is chosen in the loop, or hides another one of its name. */
static void pointers(void) {
  fill();
  shared int *p = upc_all_alloc(N * THREADS, sizeof(int)), *q = upc_all_alloc(N * THREADS, sizeof(int));
  upc_forall (int i = 0; i < N * THREADS; i++; &p[i]) p[i] = i, q[i] = -i;
  upc_barrier;
  shared int *r = p;
  long swapped = 0, chosen = 0, hidden = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N; k++) swapped += r[place[k]];
    r = r == p ? q : p;
  }
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < N; k++) chosen += (turn % 3 == 0 ? p : q)[place[k]];
  for (int turn = 0; turn < TURNS; turn++) {
    shared int *p = q;
    for (int k = 0; k < N; k++) hidden += p[place[k]];
  }
  const long once = of_places(1, 0);
  CHECK_EQUAL(swapped, 0);
  CHECK_EQUAL(chosen, (10 - 20) * once);
  CHECK_EQUAL(hidden, -TURNS * once);
  upc_barrier;
  if (MYTHREAD == 0) upc_free(p), upc_free(q);
}

/* What orders accesses, or may end the loop early: reads stay where they are. */
shared int flag;
strict shared int strict_flag;
static void order(void) {
  fill();
  if (MYTHREAD == 0) flag = 0;
  upc_barrier;
  volatile shared int *v = cyclic;
  long fenced = 0, read_strictly = 0, read_as_written = 0, found = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N; k++) fenced += cyclic[place[k]];
    upc_fence;
  }
  for (int turn = 0; turn < TURNS; turn++) {
    for (int k = 0; k < N; k++) read_strictly += cyclic[place[k]];
    read_strictly += strict_flag;
  }
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < N; k++) read_as_written += v[place[k]];
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < N; k++)
      if (cyclic[place[k]] == 3 * place[N / 2] + 1) {
        found++;
        break;
      }
  CHECK_EQUAL(fenced, TURNS * of_places(3, 1));
  CHECK_EQUAL(read_strictly, TURNS * of_places(3, 1));
  CHECK_EQUAL(read_as_written, TURNS * of_places(3, 1));
  CHECK_EQUAL(found, TURNS);
}

/* Loops in loops, tests around them, and none of their iterations. */
static void nests(void) {
  fill();
  long three = 0, tested = 0, none = 0;
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < 6; b++) {
      for (int k = 0; k < N; k++) three += cyclic[place[k]] + (long)by_three[place[(k + b) % N]];
      written[MYTHREAD] = a;
    }
  for (int turn = 0; turn < TURNS; turn++) {
    if (turn % 2 == 0)
      for (int k = 0; k < N; k++) tested += cyclic[place[k]];
    for (int k = N; k < turn % 2; k++) none += cyclic[1000000 + k];
  }
  CHECK_EQUAL(three, TURNS * (of_places(3, 1) + of_places(5, 2)));
  CHECK_EQUAL(tested, TURNS / 2 * of_places(3, 1));
  CHECK_EQUAL(none, 0);
  CHECK_EQUAL(written[MYTHREAD], 4);
}

/* A product of a matrix and a vector, whose result another loop reads. */
static void product(void) {
  fill();
  for (int round = 0; round < 3; round++) {
    upc_forall (int i = 0; i < N * THREADS; i++; &written[i]) {
      int sum = 0;
      for (int j = 0; j < N * THREADS; j++) sum += (i + j) % 3 * cyclic[j];
      written[i] = sum;
    }
    upc_barrier;
    upc_forall (int i = 0; i < N * THREADS; i++; &cyclic[i]) cyclic[i] = written[i] % 100;
    upc_barrier;
  }
  int x[N * THREADS], y[N * THREADS];
  for (int i = 0; i < N * THREADS; i++) x[i] = 3 * i + 1;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N * THREADS; i++) {
      y[i] = 0;
      for (int j = 0; j < N * THREADS; j++) y[i] += (i + j) % 3 * x[j];
    }
    for (int i = 0; i < N * THREADS; i++) x[i] = y[i] % 100;
  }
  for (int i = 0; i < N * THREADS; i++) CHECK_EQUAL(cyclic[i], x[i]);
}

int main(void) {
  RUN(layouts);
  RUN(by_steps);
  RUN(allocated);
  RUN(of_one_thread);
  RUN(aliases);
  RUN(private_stores);
  RUN(pointers);
  RUN(order);
  RUN(nests);
  RUN(product);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
