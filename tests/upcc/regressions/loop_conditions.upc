/* Conditions that look ahead of the index, step it, or are the index itself: which iterations the loop has, and what
 * the index is behind it, against a loop of whose condition nothing is known. Also with WEFT_MAP_PEERS=0. */
#include <limits.h>

#include "../check.h"
#define N 64
shared [N] long a[N * THREADS];
shared int counts[THREADS];

static long next; /* the first element of another thread's, which no third one accesses */
static int other;

/* The loop may be planned: it changes the same object in each iteration. */
#define COUNTED(type, init, condition, step)                                                       \
  do {                                                                                             \
    const int target = other;                                                                      \
    unsigned long sum = 0, expected_sum = 0, iterations = 0, began = (unsigned long)counts[other]; \
    type i, expected;                                                                              \
    for (init; condition; step) {                                                                  \
      counts[target] += 1;                                                                         \
      sum = 31 * sum + (unsigned long)i;                                                           \
    }                                                                                              \
    expected = i;                                                                                  \
    for (init; (condition) && ++iterations; step) expected_sum = 31 * expected_sum + (unsigned long)i; \
    CHECK_EQUAL(expected, i);                                                                      \
    CHECK_EQUAL(sum, expected_sum);                                                                \
    CHECK_EQUAL(counts[other] - (long)began, (long)iterations);                                    \
  } while (0)

/* The same, where the index is that of an element. */
#define MOVING(type, init, condition, step)                                           \
  do {                                                                                \
    const long from = next;                                                           \
    long expected[N];                                                                 \
    type i;                                                                           \
    COUNTED(type, init, condition, step);                                             \
    for (int k = 0; k < N; k++) a[from + k] = expected[k] = -k;                       \
    for (init; condition; step) a[from + (long)i] += 1000 + (long)i;                  \
    for (init; (condition) && i >= 0; step) expected[i] += 1000 + (long)i;            \
    for (int k = 0; k < N; k++) CHECK_EQUAL(a[from + k], expected[k]);                \
  } while (0)

static void signed_indices(int n) {
  const unsigned limit = n < 0 ? 0 : (unsigned)n;
  MOVING(int, i = 0, i + 1 < n, i += 2);
  MOVING(int, i = 0, i + 2 < n, i++);
  MOVING(int, i = 3, n >= 1 + i, i += 3);
  MOVING(int, i = 0, i + 2 < limit, i++);
  MOVING(long, i = 1, i + 5L <= n, i++);
  MOVING(int, i = n, i - 2 >= 0, i -= 2);
  MOVING(int, i = n - 1, 3 < i - 1, i--);
  MOVING(int, i = n, i-- > 0, );
  MOVING(int, i = n, 2 < i--, );
  MOVING(long, i = n - 1, i-- >= 1, );
  MOVING(int, i = n, --i >= 0, );
  MOVING(int, i = -1, ++i < n, );
  MOVING(int, i = 2, i++ < n - 1, );
  COUNTED(int, i = -n, i++ < n, );
  COUNTED(int, i = INT_MIN + 3, i + 1 < INT_MIN + 3 + n, i += 2);
  COUNTED(int, i = INT_MAX, i - 1 > INT_MAX - 3 - n, i--);
  COUNTED(long, i = LONG_MIN, i + 2 < LONG_MIN + 40 + n, i += 5);
  COUNTED(long, i = LONG_MAX, i-- > LONG_MAX - 40 - n, );
  COUNTED(int, i = INT_MAX - 40 - n, i++ < INT_MAX - 1, );
  if (n < 0) return;
  MOVING(int, i = 0, i + 1 != n + 1, i++);
  MOVING(int, i = n, i, i--);
  MOVING(int, i = n, (i), i -= 1);
  MOVING(int, i = n, i--, );
  MOVING(int, i = n, i-- != 0, );
  MOVING(int, i = n + 1, --i, );
  COUNTED(int, i = -n, i, ++i);
  COUNTED(long, i = -n, i++ != 0, );
}

static void unsigned_indices(unsigned n) {
  const unsigned long limit = n;
  MOVING(unsigned, i = 0, i + 1 < n, i += 2);
  MOVING(unsigned, i = 0, i + 2 < n, i++);
  MOVING(unsigned, i = n / 2, n > 2 + i, i += 3);
  MOVING(unsigned long, i = 0, i + 3 <= limit, i++);
  MOVING(unsigned, i = n, i, i--);
  MOVING(unsigned, i = n, i--, );
  MOVING(unsigned, i = n, i-- > 0, );
  MOVING(unsigned, i = n, i-- != 0, );
  MOVING(unsigned, i = n, i-- >= 3, );
  MOVING(unsigned long, i = limit, i-- > 2, );
  MOVING(unsigned, i = n + 1, --i > 0, );
  COUNTED(unsigned, i = 0, i++ < n, );
  /* What wraps around. */
  COUNTED(unsigned, i = UINT_MAX - 1, i + 1 < n, i++);
  COUNTED(unsigned, i = UINT_MAX - 1, i + 2 < n, i++);
  COUNTED(unsigned, i = UINT_MAX - 1, i + 3 < n, i += 2);
  COUNTED(unsigned, i = UINT_MAX - 50 - n, i + 2 < UINT_MAX - 1, i += 2);
  COUNTED(unsigned, i = n, i - 3 < n, i--);
  COUNTED(unsigned, i = 2 * n, i + 2 > n, i--);
  COUNTED(unsigned, i = n, i - 1 < 5, i++);
  COUNTED(unsigned long, i = ULONG_MAX, i + 1 < limit, i++);
  COUNTED(unsigned long, i = ULONG_MAX - 2, i + 4 < limit, i += 3);
  COUNTED(unsigned long, i = ULONG_MAX - 9, i-- > ULONG_MAX - 9 - n, );
  COUNTED(unsigned long, i = 1ul << 63, i-- > (1ul << 63) - n, );
}

/* The limit or the index changes inside, or the init clause does something. */
static int begins;
static int begin(void) {
  begins++;
  return 40;
}
static void changes(void) {
  const long from = next;
  int n = 40, seen = 0;
  for (int i = 0; i + 1 < n; i++) a[from + i] = i, n--;
  for (int i = n; i-- > 0; seen++) a[from + i] = i;
  for (int i = n; i-- > 0;) a[from + i--] = i, seen++;
  for (int i = 0; i + 2 < n; i++) {
    a[from + i] = i;
    if (i == 7) n = 9;
  }
  CHECK_EQUAL(seen, 20 + 10);
  CHECK_EQUAL(n, 9);
  for (unsigned i = (unsigned)begin(); i + 2 < 60; i += 2) a[from + i] = i;
  for (int i = begin(); i-- > 0;) a[from + i] = i;
  upc_barrier;
  upc_forall (int i = begin(); i < 64; i++; i / 4) a[i] = i;
  for (int i = begin(); i < 64; i++)
    if (i % THREADS == MYTHREAD) a[i] = i;
  CHECK_EQUAL(begins, 4);
}

/* The affinity sees the index as the condition has left it. */
static void affinity(void) {
  int seen = 0;
  upc_forall (int i = N; i-- > 0; ; i) seen += i % THREADS == MYTHREAD ? 1 : 1000;
  for (int i = N; i-- > 0;)
    if (i % THREADS == MYTHREAD) seen += counts[i % THREADS] >= 0;
  CHECK_EQUAL(seen, 2 * ((N - 1 - MYTHREAD) / THREADS + 1));
}

int main(void) {
  other = (MYTHREAD + 1) % THREADS;
  next = (long)other * N;
  for (int n = -3; n <= 40; n += n < 6 ? 1 : 11) signed_indices(n);
  for (unsigned n = 0; n <= 40; n += n < 6 ? 1 : 11) unsigned_indices(n);
  changes();
  upc_barrier;
  affinity();
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
