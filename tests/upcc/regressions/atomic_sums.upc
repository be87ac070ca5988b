/* Atomic updates that are added up, found by the subscript of their target or not, are those of the program: every
 * operation, both widths, more objects than sums, subscripts below 0, a loop long enough to send in between, and loops
 * whose array, domain or object is not always the same. Also with WEFT_MAP_PEERS=0. */
#include <upc_atomic.h>

#include "../check.h"
#define OBJECTS 600
#define LONG_LOOP 200000
shared int words[OBJECTS * THREADS];
shared [7] long wide[OBJECTS * THREADS], other[OBJECTS * THREADS];
shared int places[OBJECTS * THREADS];
static upc_atomicdomain_t *of_int, *of_long;

static long number(long i) { return i * 7919 % 1013; }

static void clear(void) {
  upc_barrier;
  upc_forall (int i = 0; i < OBJECTS * THREADS; i++; &words[i]) words[i] = 0x5555;
  upc_forall (int i = 0; i < OBJECTS * THREADS; i++; &wide[i]) wide[i] = other[i] = -1;
  upc_barrier;
}

/* Each thread does the same, in one order with itself; all operations here commute between threads. */
#define SUMS_OF(name, op, array, domain, T, value, step, first)                           \
  static void name(void) {                                                                \
    clear();                                                                              \
    for (int i = 0; i < 2000; i++) {                                                      \
      T v = (T)(value);                                                                   \
      upc_atomic_relaxed(domain, NULL, op, &array[i * 7 % OBJECTS], &v, NULL);            \
    }                                                                                     \
    upc_barrier;                                                                          \
    for (int at = MYTHREAD; at < OBJECTS; at += THREADS) {                                \
      T expected = (T)(first);                                                            \
      for (int t = 0; t < THREADS; t++)                                                   \
        for (int i = 0; i < 2000; i++)                                                    \
          if (i * 7 % OBJECTS == at) expected = (T)(expected step (T)(value));            \
      CHECK_EQUAL(array[at], expected);                                                   \
    }                                                                                     \
  }
SUMS_OF(add_int, UPC_ADD, words, of_int, int, number(i) - 500, +, 0x5555)
SUMS_OF(sub_int, UPC_SUB, words, of_int, int, number(i), -, 0x5555)
SUMS_OF(and_int, UPC_AND, words, of_int, int, ~(1 << number(i) % 31), &, 0x5555)
SUMS_OF(or_int, UPC_OR, words, of_int, int, 1 << number(i) % 31, |, 0x5555)
SUMS_OF(xor_int, UPC_XOR, words, of_int, int, number(i) << 20, ^, 0x5555)
SUMS_OF(add_long, UPC_ADD, wide, of_long, long, number(i) << 40, +, -1)
SUMS_OF(sub_long, UPC_SUB, wide, of_long, long, number(i) << 40, -, -1)
SUMS_OF(and_long, UPC_AND, wide, of_long, long, ~(1L << number(i) % 63), &, -1)
SUMS_OF(or_long, UPC_OR, wide, of_long, long, 1L << number(i) % 63, |, -1)
SUMS_OF(xor_long, UPC_XOR, wide, of_long, long, number(i) << 40, ^, -1)

static void by_one(void) {
  clear();
  shared int *middle = &words[OBJECTS / 2];
  for (long i = 0; i < LONG_LOOP; i++) upc_atomic_relaxed(of_int, NULL, UPC_INC, &middle[i % 11 - 5], NULL, NULL);
  upc_barrier;
  for (long i = 0; i < LONG_LOOP; i++) upc_atomic_relaxed(of_int, NULL, UPC_DEC, &middle[-(i % 3)], NULL, NULL);
  upc_barrier;
  long sum = 0;
  for (int i = -5; i <= 5; i++) sum += middle[i];
  CHECK_EQUAL(sum, 11L * 0x5555);
  CHECK_EQUAL(middle[-5], 0x5555 + THREADS * ((LONG_LOOP + 10) / 11));
  upc_barrier;
}

/* One loop: two calls, two arrays, a pointer that changes, subscripts in shared memory, one object in each place. */
static void not_always_the_same(void) {
  clear();
  for (int i = 0; i < 1000; i++) {
    long v = 2;
    upc_atomic_relaxed(of_long, NULL, UPC_ADD, &wide[i % 5], &v, NULL);
    upc_atomic_relaxed(of_long, NULL, UPC_INC, &other[i % 5], NULL, NULL);
  }
  shared [7] long *array = wide;
  for (int i = 0; i < 1000; i++) {
    upc_atomic_relaxed(of_long, NULL, UPC_DEC, &array[5], NULL, NULL);
    array = i % 2 == 0 ? other : wide;
  }
  for (int i = 0; i < OBJECTS; i++) upc_atomic_relaxed(of_long, NULL, UPC_INC, &wide[places[i]], NULL, NULL);
  upc_barrier;
  CHECK_EQUAL(wide[0], -1 + THREADS * 400);
  CHECK_EQUAL(other[4], -1 + THREADS * 200);
  CHECK_EQUAL(wide[5], -1 - THREADS * 500);
  CHECK_EQUAL(other[5], -1 - THREADS * 500);
  for (int i = 10; i < 10 + OBJECTS / 4; i++) CHECK_EQUAL(wide[i], -1 + THREADS * 4);
  upc_barrier;
}

int main(void) {
  const int ops = UPC_ADD | UPC_SUB | UPC_INC | UPC_DEC | UPC_AND | UPC_OR | UPC_XOR;
  of_int = upc_all_atomicdomain_alloc(UPC_INT, ops, 0);
  of_long = upc_all_atomicdomain_alloc(UPC_LONG, ops, 0);
  upc_forall (int i = 0; i < OBJECTS; i++; &places[i]) places[i] = 10 + i / 4;
  for (int i = 0; i < 1; i++) upc_atomic_relaxed(of_int, NULL, UPC_INC, &words[0], NULL, NULL);
  upc_barrier;
  CHECK_EQUAL(words[0], THREADS); /* the first sum of all */
  add_int();
  sub_int();
  and_int();
  or_int();
  xor_int();
  add_long();
  sub_long();
  and_long();
  or_long();
  xor_long();
  by_one();
  not_always_the_same();
  upc_all_atomicdomain_free(of_int);
  upc_all_atomicdomain_free(of_long);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
