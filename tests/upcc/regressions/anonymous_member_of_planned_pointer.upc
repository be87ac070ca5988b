/* p->x in a counted loop, where x is a member of an unnamed union or struct of *p. */
#define _GNU_SOURCE
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

struct A {
  int a;
  union {
    int x;
    float y;
  };
};
shared struct A as[8 * THREADS];
int main(void) {
  fill();
  long s = 0;
  shared struct A* p = &as[MYTHREAD];
  for (int i = 0; i < 4; i++) {
    p->x = i;
    s += p->x;
  }
  CHECK_EQUAL(s, 6);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
