/* What stands behind a call that may not return is not certain to happen: it may trap. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

#include <assert.h>
struct rec {
  int k;
};
static struct rec* none(void) { return NULL; }
static long look(const struct rec* p, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    if (p == NULL) exit(0);
    sum += numbers[p->k + i];
  }
  return sum;
}
int main(void) {
  fill();
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  fflush(stdout);
  upc_barrier;
  if (THREADS > 0) return (int)look(none(), 4);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
