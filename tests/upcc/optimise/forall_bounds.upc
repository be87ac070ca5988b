/* only when on: upcc_first_block
 * only when on: upcc_own_before(__upcc_
 * only when on: __upcc_taken2
 * only when off: upcr_forall_integer(&__upcc_forall2, */
#include <stdio.h>
#include <upc.h>
shared [5] int a[20 * THREADS];
shared int count[THREADS];
int main(void) {
  upc_forall (int i = 0; i < 20 * THREADS; i++; &a[i]) a[i] = i;
  upc_forall (int i = 0; i < 20 * THREADS; i++; i) count[MYTHREAD]++;
  upc_forall (int i = 0; i < 20 * THREADS; i++; &a[i]) a[i] *= 2;
  upc_barrier;
  int wrong = 0;
  for (int i = 0; i < 20 * THREADS; i++) wrong += a[i] != 2 * i;
  if (MYTHREAD == 0) printf("%d %d\n", wrong, count[THREADS - 1]);
  return 0;
}
