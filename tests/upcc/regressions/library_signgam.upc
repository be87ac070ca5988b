/* lgamma(double) sets signgam (POSIX): a variable that the library declares may change by any call. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

#include <math.h>
extern int signgam;
int main(void) {
  fill();
  long sum = 0;
  double x[4] = {0.5, -0.5, 1.5, -0.5};
  double y = 0;
  signgam = 1;
  for (int i = 0; i < 4; i++) {
    y += lgamma(x[i]);
    sum = 10 * sum + numbers[signgam + 1];
  }
  CHECK_EQUAL(sum, 2020);
  CHECK(y < 100);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
