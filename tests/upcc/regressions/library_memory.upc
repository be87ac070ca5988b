/* gmtime() and the like give pointers to memory of the library, which the next call overwrites. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

#include <time.h>
int main(void) {
  fill();
  long sum = 0;
  time_t t[4] = {1, 2, 3, 4};
  struct tm* tm = gmtime(&t[0]);
  for (int i = 0; i < 4; i++) {
    gmtime(&t[i]);
    sum = 10 * sum + numbers[tm->tm_sec];
  }
  CHECK_EQUAL(sum, 1234);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
