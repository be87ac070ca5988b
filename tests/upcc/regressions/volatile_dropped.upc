/* `shared volatile int` is read plainly in a planned loop, so the C compiler takes the load out. type_name() drops
 * volatile. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
shared double numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

shared volatile int vf;
static int watch(void) {
  for (long k = 0; k < 40000000000l; k++) {
    numbers[MYTHREAD] = 1;
    if (vf) return 1;
  }
  return 0;
}
int main(void) {
  fill();
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    for (volatile int k = 0; k < 200000000; k++)
      ;
    vf = 1;
  } else
    CHECK_EQUAL(watch(), 1);

  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
