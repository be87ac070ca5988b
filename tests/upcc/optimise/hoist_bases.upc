/* only when on: __upcc_p0_
 * either way: __upcc_a */
#include <stdio.h>
#include <upc.h>
shared long total[THREADS];
int main(void) {
  for (int i = 0; i < 1000; i++) total[MYTHREAD] += i;
  upc_barrier;
  if (MYTHREAD == 0) printf("%ld\n", total[THREADS - 1]);
  return 0;
}
