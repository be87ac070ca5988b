/* Random access (GUPS): every thread changes random words of a table spread over all of them. Written the obvious
 * way: the compiler finds thread and place of table[i]. A second run with the same numbers undoes the first (x ^ r ^
 * r = x); lost updates, when two threads hit one word at the same moment, are allowed to spoil one word in a
 * hundred. */
#include <stdio.h>
#include <time.h>
#include <upc.h>

#ifndef WORDS_PER_THREAD
#define WORDS_PER_THREAD (1L << 14)
#endif
#ifndef UPDATES /* of a thread */
#define UPDATES (1L << 16)
#endif
shared unsigned long table[WORDS_PER_THREAD * THREADS];

static void run(void) {
  unsigned long state = 88172645463325252UL + (unsigned long)MYTHREAD;
  for (long k = 0; k < UPDATES; k++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    table[state % (unsigned long)(WORDS_PER_THREAD * THREADS)] ^= state;
  }
}

int main(void) {
  upc_forall (long i = 0; i < WORDS_PER_THREAD * THREADS; i++; &table[i]) table[i] = (unsigned long)i;
  upc_barrier;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  run();
  upc_barrier;
  clock_gettime(CLOCK_MONOTONIC, &end);
  run();
  upc_barrier;
  if (MYTHREAD == 0) {
    long wrong = 0;
    for (long i = 0; i < WORDS_PER_THREAD * THREADS; i++) wrong += table[i] != (unsigned long)i;
    double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    printf("%.1f million updates/s: %s\n", 1e-6 * (double)UPDATES * THREADS / seconds,
           wrong * 100 <= WORDS_PER_THREAD * THREADS ? "ok" : "wrong");
  }
  return 0;
}
