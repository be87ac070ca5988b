/* Another array with the same subscript starts on the same thread only if its rows have as many elements. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

shared[4] int x[8 * THREADS][4];
shared[4] int y[8 * THREADS];
int main(void) {
  fill();
  if (MYTHREAD == 0)
    for (int k = 0; k < 8 * THREADS; k++) y[k] = k;
  upc_barrier;
  int n = THREADS > 2 ? 2 : 1;
  upc_forall(int i = 0; i < 1; i++; &x[n]) { CHECK_EQUAL(y[n], n); }
  upc_barrier;
  upc_forall(int i = 0; i < 1; i++; &x[n]) { y[n] = 100; }
  upc_barrier;
  CHECK_EQUAL(y[n], 100);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
