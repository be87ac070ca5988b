/* memcpy() to a member array of a union changes the other members. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

union bytes {
  unsigned char b[8];
  long l;
};
int main(void) {
  fill();
  long sum = 0;
  union bytes u = {.l = 0};
  for (int i = 1; i < 5; i++) {
    long x = i;
    memcpy(u.b, &x, sizeof x);
    sum = 10 * sum + numbers[u.l];
  }
  CHECK_EQUAL(sum, 1234);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
