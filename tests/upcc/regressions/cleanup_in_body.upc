/* A variable with a cleanup function calls it in each iteration. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

static int g;
static void bump(int* x) {
  g++;
  (void)x;
}
int main(void) {
  fill();
  long sum = 0;
  for (int i = 0; i < 4; i++) {
    int k __attribute__((cleanup(bump))) = 0;
    sum = 10 * sum + numbers[g];
  }
  CHECK_EQUAL(sum, 123);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
