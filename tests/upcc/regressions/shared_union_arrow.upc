/* Members of one union, reached through pointers, are one object for the C compiler, too. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

union number {
  int i;
  float f;
};
shared union number un[THREADS];
static long go(shared union number* u, int n) {
  long sum = 0;
  for (int k = 0; k < n; k++) {
    u->f = k == 2 ? 1.0f : 0.0f;
    sum = 10 * sum + (u->i != 0);
  }
  return sum;
}
static long go2(shared union number* u, int n, shared union number* v) {
  long sum = 0;
  for (int k = 0; k < n; k++) {
    u->f = (float)k;
    v->i += 1;
    sum = 10 * sum + (u->f != (float)k);
  }
  return sum;
}
static long go3(shared[] union number* u, int n) {
  long sum = 0;
  for (int k = 0; k < n; k++) {
    u[k].i = 0;
    u[k].f = 1.0f;
    sum = 10 * sum + (u[k].i != 0);
    u[(k * k) % n].f = 0.0f;
    sum += u[(k * k) % n].i;
  }
  return sum;
}
int main(void) {
  fill();
  CHECK_EQUAL(go(&un[MYTHREAD], 4), 10);
  CHECK_EQUAL(go2(&un[MYTHREAD], 4, &un[MYTHREAD]), 1111);
  CHECK_EQUAL(go3((shared[] union number*)&un[MYTHREAD], 1), 1);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
