/* An enum that is defined inside a struct of the body: its constants mean something else before the loop. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

enum { TWO = 5 };
int main(void) {
  fill();
  long sum = 0;
  int n = THREADS > 0;
  for (int i = 0; i < 4; i++) {
    struct {
      enum { TWO = 2 } e;
    } s = {TWO};
    sum = 10 * sum + numbers[TWO * n];
    (void)s;
  }
  CHECK_EQUAL(sum, 2222);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
