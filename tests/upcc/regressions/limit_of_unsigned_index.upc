/* A limit is compared after its conversion: n = -3 and an unsigned index are 4294967293u. */
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
  int n = -3, c = 0;
  for (unsigned i = 4294967290u; i < n; i++) c += numbers[0] + 1;
  CHECK_EQUAL(c, 3);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
