/* A stride near LONG_MAX: the number of iterations must not overflow. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

static int once(long s) {
  int c = 0;
  for (long i = 0; i < 8; i += s) c += numbers[0] + 1;
  return c;
}
int main(void) {
  fill();
  CHECK_EQUAL(once(LONG_MAX), 1);
  CHECK_EQUAL(once(3), 3);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
