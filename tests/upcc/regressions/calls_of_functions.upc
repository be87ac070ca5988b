/* Functions that a loop calls: some compute with THREADS, recursively, or are defined later; others let another thread
 * look at what the loop has written, in a length, a cleanup function, or a function defined later.
 * Also with WEFT_MAP_PEERS=0. */
#include "../check.h"
#define N 40
shared [N] int a[N * THREADS], b[N * THREADS];
strict shared int told[THREADS], seen[THREADS];

static int later(int n);
static int shows_later(int n);
static int modulo(int n) { return n % THREADS + MYTHREAD; }
static int sum_to(int n) { return n == 0 ? 0 : n + sum_to(n - 1); }
static int calls_later(int n) { return later(n) + 1; }
static int later(int n) { return n == 0 ? THREADS : 2 * calls_later(n - 1); }

/* Thread 0 goes on when the last one has looked. */
static int show(int n) {
  told[THREADS - 1] = n;
  while (seen[0] != n)
    ;
  return n;
}
static void show_at(int *n) { show(*n); }
static void looks(int from) {
  for (int i = from; i < from + N; i++) {
    while (told[MYTHREAD] != i)
      ;
    CHECK_EQUAL(a[N * MYTHREAD + i - from], i);
    seen[0] = i;
  }
}
static int shows_in_length(int n) {
  int items[(told[THREADS - 1] = n)];
  while (seen[0] != (int)(sizeof items / sizeof items[0]))
    ;
  return n;
}
static int shows_in_cleanup(int n) {
  int at __attribute__((cleanup(show_at))) = n;
  return at;
}
static int shows_by_pointer(int n) {
  int (*f)(int) = show;
  return f(n);
}
static int shows_later(int n) { return show(n); }

int main(void) {
  const int next = (MYTHREAD + 1) % THREADS * N; /* no other thread accesses these */
  const int last = (THREADS - 1) * N;
  for (int i = 0; i < N; i++) a[next + i] = modulo(i);
  for (int i = 0; i < N; i++) b[next + i] = a[next + i] + sum_to(i);
  for (int i = 0; i < N; i++) CHECK_EQUAL(b[next + i], i % THREADS + MYTHREAD + i * (i + 1) / 2);
  for (int i = 0; i < 12; i++) a[next + i] = later(i);
  for (int i = 0, expected = THREADS; i < 12; expected = 2 * (expected + 1), i++) CHECK_EQUAL(a[next + i], expected);
  upc_barrier;
  if (MYTHREAD == 0 && THREADS > 1) {
    for (int i = 0; i < N; i++) a[last + i] = 1 * N + i, shows_in_length(1 * N + i);
    for (int i = 0; i < N; i++) a[last + i] = 2 * N + i, shows_in_cleanup(2 * N + i);
    for (int i = 0; i < N; i++) a[last + i] = 3 * N + i, shows_by_pointer(3 * N + i);
    for (int i = 0; i < N; i++) a[last + i] = 4 * N + i, shows_later(4 * N + i);
  } else if (MYTHREAD == THREADS - 1 && THREADS > 1) {
    for (int ways = 1; ways <= 4; ways++) looks(ways * N);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
