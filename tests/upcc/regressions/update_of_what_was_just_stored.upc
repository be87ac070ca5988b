/* Two addresses in a loop are equal: one is stored to, the other updated. gcc 12 at -O3 splits such a loop, so that the
   updates see each other; upcc does not let it. */
#include <stdio.h>

#include "../check.h"
struct pair {
  long long m[2];
  struct {
    double a;
    char b[3];
  } rest;
};
shared[*] struct pair pairs[8 * THREADS];

static void store_and_update(void) {
  enum { first = 2 };
  for (int e = 0; 2 * THREADS > e; e += 2) {
    pairs[first * THREADS + MYTHREAD].m[0] = 1u;
    pairs[((unsigned)(0u) + 2) * THREADS + MYTHREAD].m[(unsigned)e % 1u] ^= (unsigned)e + 1u;
  }
}

int main(void) {
  upc_barrier;
  store_and_update();
  upc_barrier;
  CHECK_EQUAL(pairs[2 * THREADS + MYTHREAD].m[0], 1 ^ (2 * THREADS - 1));
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
