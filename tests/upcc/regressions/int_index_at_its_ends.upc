/* Indices next to the largest and the smallest int, up and down, by one and by THREADS. Also with WEFT_MAP_PEERS=0. */
#include <limits.h>

#include "../check.h"
#define N 100
shared int numbers[N * THREADS];
static int copy[N];

int main(void) {
  upc_forall (int i = 0; i < N * THREADS; i++; &numbers[i]) numbers[i] = i + 1;
  upc_barrier;
  long sum = 0, indices = 0;
  for (int i = INT_MAX - N; i < INT_MAX; i++) sum += numbers[i - (INT_MAX - N)], indices += i;
  CHECK_EQUAL(sum, N * (N + 1) / 2);
  CHECK_EQUAL(indices, (long)N * INT_MAX - N * (N + 1) / 2);
  sum = 0;
  for (int i = INT_MIN + N; i > INT_MIN; i--) sum += numbers[i - (INT_MIN + 1)];
  CHECK_EQUAL(sum, N * (N + 1) / 2);
  sum = 0;
  for (int i = INT_MAX - (N - 1) * THREADS + MYTHREAD - THREADS + 1; i <= INT_MAX - THREADS; i += THREADS)
    sum += numbers[(INT_MAX - i) % N] > 0;
  CHECK_EQUAL(sum, N - 1);
  for (int k = 0; k < N; k++) copy[k] = 0;
  for (int i = INT_MIN; i < INT_MIN + N; i++) copy[i - INT_MIN] += numbers[i - INT_MIN];
  for (int k = 0; k < N; k++) CHECK_EQUAL(copy[k], k + 1);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
