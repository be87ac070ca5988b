/* only when on: upcr_windows_open
 * either way: upcc_put_long */
#include <stdio.h>
#include <upc.h>
#define N 1000
shared [10] long a[N * THREADS], b[N * THREADS];
shared long c[N * THREADS];
static long square(long x) { return x * x; }
int main(void) {
  upc_forall (long i = 0; i < N * THREADS; i++; &a[i]) a[i] = i;
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    for (long i = 1; i < N; i++) b[i] = a[i - 1] + square(a[i]);       /* blocks */
    for (long i = N - 1; i >= 2; i -= 2) c[i] = b[i] - b[i / 2];       /* a write through a window, reads beside it */
    for (long i = 1; i < N; i++) b[i] += b[i - 1];                     /* what an earlier iteration has written */
    for (long i = 0; i < N; i++)
      if (i % 3 == 0) c[i] = b[i];                                     /* no window for the write */
  }
  upc_barrier;
  long sum = 0;
  for (long i = 0; i < N; i++) sum = sum * 31 + b[i] + 7 * c[i];
  if (MYTHREAD == 0) printf("%ld\n", sum);
  return 0;
}
