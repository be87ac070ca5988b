/* `(int *)&*p` of a null p is null (C11 6.5.3.2p3). */
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
  shared int* p = THREADS > 0 ? NULL : &numbers[0];
  int c = 0;
  for (int k = 0; k < 4; k++) {
    int* q = (int*)&*p;
    if (q != NULL) c++;
    c += 0 * numbers[k];
  }
  CHECK_EQUAL(c, 0);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
