/* OpenMP's collapse(2) is about the inner loop, too: it stays as it is. */
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
  long c = 0;
#pragma omp parallel for collapse(2) reduction(+ : c)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c += numbers[4 * i + j];
  CHECK_EQUAL(c, 120);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
