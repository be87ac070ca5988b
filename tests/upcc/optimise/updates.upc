/* only when on: upcr_update(
 * only when on: upcr_atomic_update(
 * only when on: upcr_atomic_sum(
 * either way: upcc_get_long */
#include <stdio.h>
#include <upc.h>
#include <upc_atomic.h>
#define N 3000
shared [N] long a[N * THREADS];
shared int bins[16 * THREADS];
int main(void) {
  upc_forall (long i = 0; i < N * THREADS; i++; &a[i]) a[i] = i;
  upc_barrier;
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_INT, UPC_INC, 0);
  if (MYTHREAD == THREADS - 1) {
    for (int i = 0; i < N; i++) a[i * 7919L % N] ^= i;
    for (int i = 0; i < N; i++) bins[i * i % 16]++;
    for (int i = 0; i < N; i++) upc_atomic_relaxed(domain, NULL, UPC_INC, &bins[i * 7 % 16], NULL, NULL);
    for (int i = 0; i < N; i++) {
      upc_atomic_relaxed(domain, NULL, UPC_INC, &bins[i * 7 % 16], NULL, NULL);
      upc_atomic_relaxed(domain, NULL, UPC_INC, &bins[i * 5 % 16], NULL, NULL);
    }
  }
  upc_barrier;
  unsigned long sum = 0;
  for (int i = 0; i < N; i++) sum = sum * 31 + a[i];
  for (int i = 0; i < 16; i++) sum = sum * 31 + bins[i];
  if (MYTHREAD == THREADS - 1) printf("%lu\n", sum);
  upc_barrier;
  upc_all_atomicdomain_free(domain);
  return 0;
}
