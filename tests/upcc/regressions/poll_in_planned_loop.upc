/* A loop with a bound that looks at a relaxed flag and returns sees it, though it has other accesses that are
 * planned. */
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

shared int go;
static int watch(void) {
  for (long k = 0; k < 40000000000l; k++) {
    if (go) return 1;
    numbers[MYTHREAD] = 1;
  }
  return 0;
}
int main(void) {
  fill();
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    for (volatile int k = 0; k < 200000000; k++)
      ;
    go = 1;
  } else
    CHECK_EQUAL(watch(), 1);

  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
