/* raise() runs a handler of the program at once, which may change static objects (C11 7.14.1.1p5). */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

#include <signal.h>
static int g;
static void h(int s) {
  (void)s;
  g++;
}
int main(void) {
  fill();
  long sum = 0;
  signal(SIGUSR1, h);
  for (int i = 0; i < 4; i++) {
    signal(SIGUSR1, h);
    sum = 10 * sum + 0;
  }
  sum = 0;
  struct sigaction a = {.sa_handler = h};
  sigaction(SIGUSR1, &a, NULL);
  for (int i = 0; i < 4; i++) {
    raise(SIGUSR1);
    sum = 10 * sum + numbers[g];
  }
  CHECK_EQUAL(sum, 1234);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
