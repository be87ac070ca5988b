/* only when on: upcr_gather_fetch
 * either way: upcc_get_long */
#include <stdio.h>
#include <upc.h>
#define N 3000
shared [N] long a[N * THREADS], b[N * THREADS];
static int order[N];
int main(void) {
  for (int i = 0; i < N; i++) order[i] = (int)(i * 7919L % N);
  upc_forall (long i = 0; i < N * THREADS; i++; &a[i]) a[i] = i;
  upc_barrier;
  long sum = 0;
  if (MYTHREAD == THREADS - 1) {
    for (int i = 0; i < N; i++) sum = sum * 31 + a[order[i]];
    for (int i = 0; i < N; i++) b[order[i] / 2] = i + sum % 100;
  }
  upc_barrier;
  for (int i = 0; i < N; i++) sum = sum * 31 + b[i];
  if (MYTHREAD == THREADS - 1) printf("%ld\n", sum);
  return 0;
}
