/* only when on: upcc_limit_run
 * only when on: upcc_walk_step
 * either way: upcr_element(upcc_offset(a), */
#include <stdio.h>
#include <upc.h>
shared [50] int a[100 * THREADS];
shared int b[100 * THREADS];
int main(void) {
  if (MYTHREAD == 0)
    for (int i = 0; i < 100 * THREADS; i++) a[i] = b[i] = i;
  upc_barrier;
  long sum = 0;
  for (int i = 1; i < 100 * THREADS; i++) sum += a[i - 1] - b[i];
  if (MYTHREAD == 0) printf("%ld\n", sum + 100L * THREADS);
  return 0;
}
