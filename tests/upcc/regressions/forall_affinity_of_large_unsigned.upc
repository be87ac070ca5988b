/* Affinity of type unsigned long with values of 2^63 and more, invariant or equal to the index. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

int main(void) {
  fill();
  int c = 0;
  unsigned long a = ~0ul;
  upc_forall(int i = 0; i < 4; i++; a) {
    c++;
    CHECK_EQUAL(a % THREADS, MYTHREAD);
  }
  upc_forall(unsigned long i = 1ul << 63; i < (1ul << 63) + 12; i++; i) {
    c++;
    CHECK_EQUAL(i % THREADS, MYTHREAD);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
