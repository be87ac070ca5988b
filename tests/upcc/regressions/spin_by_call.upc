/* A loop that waits by calling a function whose own loop ends. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

shared[] int two[4];
static int all_ready(void) {
  int seen = 0;
  for (int t = 0; t < 4; t++) seen += two[t];
  return seen;
}
int main(void) {
  fill();
  long turns = 0;
  int r = 0;
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
    while (r < 4) {
      turns++;
      r = all_ready();
    }
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
