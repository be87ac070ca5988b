/* A function that is given a member array can reach the structure around it. */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

struct list {
  struct {
    int x[1];
  } links;
  int n;
};
static void bump(int* links) {
  struct list* l = (struct list*)(void*)((char*)links - offsetof(struct list, links.x));
  l->n++;
}
int main(void) {
  fill();
  long sum = 0;
  struct list l = {.n = 0};
  for (int i = 0; i < 4; i++) {
    bump(l.links.x);
    sum = 10 * sum + numbers[l.n];
  }
  CHECK_EQUAL(sum, 1234);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
