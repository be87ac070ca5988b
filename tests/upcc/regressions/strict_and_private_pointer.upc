/* A strict read tells that another thread has written to this thread's part; the part is read by a private pointer.
 * same_load() refuses relaxed loads when there are strict accesses, not private ones. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

strict shared long turn;
shared int box[THREADS];
int main(void) {
  fill();
  long sum = 0;
  int* p = (int*)&box[MYTHREAD];
  if (MYTHREAD == 0 && THREADS > 1) {
    for (int k = 0; k < 4; k++) {
      box[1] = k + 1;
      turn = 2 * k + 1;
      while (turn != 2 * k + 2)
        ;
    }
  } else if (MYTHREAD == 1) {
    for (int k = 0; k < 4; k++) {
      while (turn != 2 * k + 1)
        ;
      sum = 10 * sum + numbers[*p];
      turn = 2 * k + 2;
    }
    CHECK_EQUAL(sum, 1234);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
