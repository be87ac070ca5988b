/* A pointer to a member array comes from its decay, with no & in sight, and may change the union. */
#include <stdlib.h>

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
struct s {
  int n;
  int v[2];
};
int main(void) {
  fill();
  long sum = 0;
  union bytes u = {.l = 0};
  unsigned char* p = u.b;
  for (int i = 0; i < 4; i++) {
    p[0] = i + 1;
    sum = 10 * sum + numbers[u.l];
  }
  CHECK_EQUAL(sum, 1234);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
