/* An address is computed in int only where the program does: `if (i < 2) ... big[i * 1000000]`. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

shared[] char* big;
int main(void) {
  fill();
  long sum = 0;
  big = upc_alloc(1000001);
  big[0] = 1;
  big[1000000] = 2;
  for (int i = 3000; i >= 0; i--)
    if (i < 2) sum = 10 * sum + big[i * 1000000];
  CHECK_EQUAL(sum, 21);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
