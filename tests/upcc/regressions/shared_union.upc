/* A store of one member of a union in shared memory changes the others. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

union number {
  int i;
  float f;
};
shared union number un[THREADS];
int main(void) {
  fill();
  long sum = 0;
  for (int k = 0; k < 4; k++) {
    un[MYTHREAD].f = k == 2 ? 1.0f : 0.0f;
    sum = 10 * sum + numbers[un[MYTHREAD].i != 0];
  }
  CHECK_EQUAL(sum, 10);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
