/* A loop that waits by summing flags in a loop that ends. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

shared[] int two[4];
int main(void) {
  fill();
  int seen = 0;
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    for (volatile int k = 0; k < 200000000; k++)
      ;
    two[0] = 1;
    two[1] = 1;
    two[2] = 1;
    two[3] = 1;
  }
  for (int rep = 0; rep < 2; rep++) {
    numbers[1] = 1;
    do {
      seen = 0;
      for (int t = 0; t < 4; t++) seen += two[t];
    } while (seen < 4);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
