/* Atomic updates whose result nobody wants, in loops: all are there after the loop, also of objects that several
 * threads update, and what else a loop accesses is as the program says. */
#include <upc_atomic.h>
#include <upc_relaxed.h>

#include "../check.h"
#define BINS 37
#define ROUNDS 3000
shared long longs[BINS * THREADS];
shared unsigned ints[BINS * THREADS];
shared double doubles[BINS * THREADS];
shared [BINS] unsigned long words[THREADS][BINS];
shared int passed[THREADS];
static upc_atomicdomain_t *of_long, *of_uint, *of_double, *of_ulong;

static unsigned place(unsigned i) { return i * 2654435761u >> 7; }

/* Sums of one value by all threads, everywhere. */
static void sums(void) {
  const unsigned all = BINS * THREADS;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const long added = i % 5;
    const unsigned taken = i % 3;
    const double half = 0.5;
    upc_atomic_relaxed(of_long, NULL, UPC_ADD, &longs[place(i) % all], &added, NULL);
    upc_atomic_relaxed(of_long, NULL, UPC_INC, &longs[place(i) % all], NULL, NULL);
    upc_atomic_relaxed(of_uint, NULL, UPC_SUB, &ints[place(i) % all], &taken, NULL);
    upc_atomic_relaxed(of_uint, NULL, UPC_DEC, &ints[place(i + 1) % all], NULL, NULL);
    upc_atomic_relaxed(of_double, NULL, UPC_ADD, &doubles[place(i) % all], &half, NULL);
  }
  upc_barrier;
  static long wanted[BINS * 64];
  static unsigned wanted_ints[BINS * 64];
  static double wanted_doubles[BINS * 64];
  CHECK(THREADS <= 64);
  for (unsigned e = 0; e < all; e++) wanted[e] = wanted_doubles[e] = wanted_ints[e] = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    wanted[place(i) % all] += THREADS * (long)(i % 5 + 1);
    wanted_ints[place(i) % all] -= (unsigned)THREADS * (i % 3);
    wanted_ints[place(i + 1) % all] -= (unsigned)THREADS;
    wanted_doubles[place(i) % all] += 0.5 * THREADS;
  }
  for (unsigned e = 0; e < all; e++) {
    CHECK_EQUAL(longs[e], wanted[e]);
    CHECK_EQUAL(ints[e], wanted_ints[e]);
    CHECK(doubles[e] == wanted_doubles[e]);
  }
}

/* Operations of different kinds on one object keep their order. */
static void order(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  for (unsigned i = 0; i < ROUNDS; i++) {
    const unsigned long bits = 1ul << i % 60, some = ~(3ul << i % 50), one = i;
    upc_atomic_relaxed(of_ulong, NULL, UPC_OR, &words[next][i % BINS], &bits, NULL);
    upc_atomic_relaxed(of_ulong, NULL, UPC_AND, &words[next][i % BINS], &some, NULL);
    upc_atomic_relaxed(of_ulong, NULL, UPC_XOR, &words[next][i % 7], &one, NULL);
    upc_atomic_relaxed(of_ulong, NULL, UPC_ADD, &words[next][i % 5], &one, NULL);
  }
  upc_barrier;
  unsigned long wanted[BINS] = {0};
  for (unsigned i = 0; i < ROUNDS; i++) {
    wanted[i % BINS] |= 1ul << i % 60;
    wanted[i % BINS] &= ~(3ul << i % 50);
    wanted[i % 7] ^= i;
    wanted[i % 5] += i;
  }
  for (int e = 0; e < BINS; e++) CHECK(words[MYTHREAD][e] == wanted[e]);
  upc_barrier;
}

/* A thread sees what it has done: by name, through pointers of either kind. */
static void looks(void) {
  const long before = longs[MYTHREAD], five = 5;
  long *own = (long *)&longs[MYTHREAD];
  long seen = 0;
  upc_barrier;
  for (int i = 0; i < 100; i++) {
    upc_atomic_relaxed(of_long, NULL, UPC_ADD, &longs[MYTHREAD], &five, NULL);
    seen += *own - before;
  }
  CHECK_EQUAL(seen, 5 * 5050);
  shared long *const p = &longs[(MYTHREAD + 1) % THREADS];
  upc_barrier;
  const long then = *p;
  seen = 0;
  for (int i = 0; i < 100; i++) {
    upc_atomic_relaxed(of_long, NULL, UPC_INC, p, NULL, NULL);
    seen += longs[(MYTHREAD + 1) % THREADS] - then;
  }
  CHECK_EQUAL(seen, 5050);
  seen = 0;
  for (int i = 0; i < 50; i++) {
    long old = 0;
    upc_atomic_relaxed(of_long, NULL, UPC_INC, p, NULL, NULL);
    upc_atomic_relaxed(of_long, &old, UPC_INC, p, NULL, NULL);
    seen += old - then - 100;
  }
  CHECK_EQUAL(seen, 2 * 25 * 49 + 50);
  CHECK_EQUAL(*p, then + 200);
  upc_barrier;
}

/* Loops inside loops, loops that end early, and one that hands its operand over in shared memory of its own. */
static void nests(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  shared long *const p = &longs[2 * THREADS + next];
  const long then = *p;
  upc_barrier;
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < i; j++) upc_atomic_relaxed(of_long, NULL, UPC_INC, p, NULL, NULL);
  CHECK_EQUAL(*p, then + 45);
  for (int i = 0; i < 10; i++) {
    upc_atomic_relaxed(of_long, NULL, UPC_INC, p, NULL, NULL);
    if (i == 4) break;
  }
  CHECK_EQUAL(*p, then + 50);
  upc_forall (int i = 0; i < 4 * THREADS; i++; i) upc_atomic_relaxed(of_long, NULL, UPC_INC, p, NULL, NULL);
  CHECK_EQUAL(*p, then + 54);
  upc_barrier;
  long *own = (long *)&longs[3 * THREADS + MYTHREAD];
  *own = 1;
  for (int i = 0; i < 5; i++)
    upc_atomic_relaxed(of_long, NULL, UPC_ADD, &longs[3 * THREADS + MYTHREAD], own, NULL);
  CHECK_EQUAL(*own, 32);
}

/* A loop that waits for the other thread's update, which must come. */
static void waits(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  int *own = (int *)&passed[MYTHREAD];
  *own = 0;
  upc_barrier;
  upc_atomicdomain_t *of_int = upc_all_atomicdomain_alloc(UPC_INT, UPC_INC, 0);
  for (int i = 1; i <= 5; i++) {
    upc_atomic_relaxed(of_int, NULL, UPC_INC, &passed[next], NULL, NULL);
    while (passed[MYTHREAD] < i) bupc_poll();
  }
  upc_barrier;
  CHECK_EQUAL(*own, 5);
  upc_all_atomicdomain_free(of_int);
}

int main(void) {
  of_long = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | UPC_INC, 0);
  of_uint = upc_all_atomicdomain_alloc(UPC_UINT, UPC_SUB | UPC_DEC, 0);
  of_double = upc_all_atomicdomain_alloc(UPC_DOUBLE, UPC_ADD, 0);
  of_ulong = upc_all_atomicdomain_alloc(UPC_ULONG, UPC_OR | UPC_AND | UPC_XOR | UPC_ADD, 0);
  RUN(sums);
  RUN(order);
  RUN(looks);
  RUN(nests);
  RUN(waits);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
