/* Constants and tags that are defined in structs, casts and sizeof of the body are unknown before the loop. */
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
  long sum = 0;
  int n = THREADS > 0;
  for (int i = 0; i < 4; i++) {
    sum += (int)sizeof(enum {DOS = 2});
    sum = 10 * sum + numbers[DOS * n];
  }
  for (int i = 0; i < 4; i++) {
    struct o {
      struct in {
        char c[2];
      } x;
    } s = {{{1}}};
    sum += s.x.c[0];
    sum = 10 * sum + numbers[sizeof(struct in) * n];
  }
  CHECK(sum > 0);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
