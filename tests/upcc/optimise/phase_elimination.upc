/* only when on: upcr_add_cyclic
 * only when on: upcr_add_indefinite
 * only when off: upcr_add(p,
 * only when off: upcr_add(q, */
#include <stdio.h>
#include <upc.h>
shared int a[10 * THREADS];
shared [] int b[10];
int main(void) {
  shared int *p = a;
  shared [] int *q = b;
  int k = MYTHREAD;
  *(p + k) = 5;
  if (k == 0) *(q + k + 1) = 6;
  upc_barrier;
  if (MYTHREAD == 0) printf("%d\n", a[0] + b[1]);
  return 0;
}
