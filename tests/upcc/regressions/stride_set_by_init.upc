/* The init clause of a declared index changes the stride; planned_loop() reads the stride before it evaluates
 * `first`. */
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
  int c = 0, s = 1;
  for (int i = (s = 2, 0); i < 8; i += s) c += numbers[i];
  CHECK_EQUAL(c, 12);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
