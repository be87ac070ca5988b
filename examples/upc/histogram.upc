/* A histogram that all threads fill together: the counters are shared, and an atomic addition makes sure that none
 * is lost. */
#include <stdio.h>
#include <upc.h>
#include <upc_atomic.h>

#define BINS 64
#define SAMPLES 20000
shared long bins[BINS * THREADS];
static upc_atomicdomain_t *domain;

static void run(void) {
  unsigned long state = 12345 + (unsigned long)MYTHREAD;
  for (int k = 0; k < SAMPLES; k++) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    upc_atomic_relaxed(domain, NULL, UPC_INC, &bins[(state >> 33) % BINS], NULL, NULL);
  }
}

int main(void) {
  domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | UPC_INC, 0);
  run();
  upc_barrier;
  if (MYTHREAD == 0) {
    long total = 0, most = 0;
    for (int b = 0; b < BINS; b++) {
      total += bins[b];
      if (bins[b] > most) most = bins[b];
    }
    printf("samples counted: %s; fullest bin has %.1f times its share\n",
           total == (long)SAMPLES * THREADS ? "ok" : "wrong", (double)most * BINS / (double)total);
  }
  upc_barrier;
  upc_all_atomicdomain_free(domain);
  return 0;
}
