/* only when on: upcr_add_cyclic
 * only when on: upcr_add_indefinite
 * only when on: upcc_at_cyclic
 * only when on: upcc_in_row
 * only when off: upcr_add(p,
 * only when off: upcr_add(q, */
#include <stdio.h>
#include <upc.h>
shared int a[10 * THREADS];
shared [] int b[10];
shared [8] int rows[THREADS][8];
int main(void) {
  const int where[4] = {3, 1, 0, 2};
  shared int *p = a;
  shared [] int *q = b;
  int k = MYTHREAD;
  *(p + k) = 5;
  if (k == 0) *(q + k + 1) = 6;
  for (int i = 0; i < 4; i++) {
    rows[MYTHREAD][where[i]] = i;
    a[THREADS + where[i] * THREADS + MYTHREAD] = i;
  }
  upc_barrier;
  int sum = 0;
  for (int i = 0; i < 4; i++) sum = 10 * sum + a[THREADS + where[i] * THREADS] + rows[0][where[i]];
  if (MYTHREAD == 0) printf("%d %d\n", a[0] + b[1], sum);
  return 0;
}
