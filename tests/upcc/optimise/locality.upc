/* only when on: upcr_self_at
 * only when on: __upcc_where
 * only when off: upcr_at(__upcc_w0_2)
 * only when off: upcr_p_ */
#include <stdio.h>
#include <upc.h>
shared int a[8 * THREADS], b[8 * THREADS];
int main(void) {
  upc_forall (int i = 0; i < 8 * THREADS; i++; &a[i]) a[i] = b[i] + i;
  upc_barrier;
  int wrong = 0;
  for (int i = 0; i < 8 * THREADS; i++) {
    shared int *p = &a[i];
    if (upc_threadof(p) == MYTHREAD) wrong += *p != i;
  }
  upc_barrier;
  shared int *from = b, *to = a;
  upc_forall (int i = 0; i < 8 * THREADS; i++; from + i) to[i] += *(from + i) + 1;
  upc_barrier;
  for (int i = 0; i < 8 * THREADS; i++) wrong += a[i] != i + 1;
  if (MYTHREAD == 0) printf("%d\n", wrong);
  return 0;
}
