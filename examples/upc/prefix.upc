/* Parallel prefix sum of a blocked array: each thread sums its block, thread 0's prefix over the few block sums is
 * computed by everyone for itself, and then each thread runs through its block again from the right start. */
#include <stdio.h>
#include <upc.h>

#define BLOCK 1000
shared [BLOCK] long data[BLOCK * THREADS];
shared long block_sum[THREADS];

int main(void) {
  upc_forall (long i = 0; i < BLOCK * THREADS; i++; &data[i]) data[i] = i + 1;
  upc_barrier;
  long sum = 0;
  upc_forall (long i = 0; i < BLOCK * THREADS; i++; &data[i]) sum += data[i];
  block_sum[MYTHREAD] = sum;
  upc_barrier;
  long before = 0;
  for (int t = 0; t < MYTHREAD; t++) before += block_sum[t];
  upc_forall (long i = 0; i < BLOCK * THREADS; i++; &data[i]) {
    before += data[i];
    data[i] = before;
  }
  upc_barrier;
  int wrong = 0;
  for (long i = MYTHREAD; i < BLOCK * THREADS; i += 7) wrong += data[i] != (i + 1) * (i + 2) / 2;
  if (wrong != 0) printf("thread %d finds %d wrong sums\n", MYTHREAD, wrong);
  upc_barrier;
  long n = (long)BLOCK * THREADS;
  if (MYTHREAD == 0) printf("prefix sums: %s\n", data[n - 1] == n * (n + 1) / 2 ? "ok" : "wrong");
  return 0;
}
