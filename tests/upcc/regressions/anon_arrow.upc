/* In a branch under `upc_threadof(p) == MYTHREAD`, p->x where x is in an unnamed struct or union. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

struct A {
  int a;
  struct {
    int x;
    union {
      int y;
      float z;
    };
  };
  int v[3];
};
shared struct A as[THREADS];
int main(void) {
  fill();
  shared struct A* p = &as[MYTHREAD];
  if (upc_threadof(p) == MYTHREAD) {
    p->x = 3;
    p->y = 4;
    p->v[1] = 5;
  }
  CHECK_EQUAL(as[MYTHREAD].x, 3);
  CHECK_EQUAL(p->y, 4);
  CHECK_EQUAL(p->v[1], 5);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
