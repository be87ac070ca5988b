/* Random x[i] += 1 over a cyclic array, millions per second and thread; the limit is C that does the same index
 * arithmetic on the mapped memory: thread = i mod THREADS, place = i / THREADS, base of that thread from a table. */
#include "bench.h"
#include <upc_castable.h>

#define PER_THREAD (1L << 17)
#define UPDATES (1L << 20)
shared long table[PER_THREAD * THREADS];
static long *base[64];

static inline unsigned long next_random(unsigned long *state) {
  *state = *state * 6364136223846793005UL + 1442695040888963407UL;
  return *state >> 20;
}
static void update(void) {
  unsigned long state = (unsigned long)MYTHREAD + 1, n = (unsigned long)(PER_THREAD * THREADS);
  for (long k = 0; k < UPDATES; k++) table[(long)((next_random(&state) & 0xffffffff) * n >> 32)] += 1;
}
static void update_c(void) {
  unsigned long state = (unsigned long)MYTHREAD + 1, n = (unsigned long)(PER_THREAD * THREADS);
  unsigned long threads = (unsigned long)THREADS;
  for (long k = 0; k < UPDATES; k++) {
    unsigned long i = (next_random(&state) & 0xffffffff) * n >> 32;
    base[i % threads][i / threads] += 1;
  }
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  if (THREADS > 64) return 1;
  for (int t = 0; t < THREADS; t++) base[t] = upc_cast(&table[t]);
  bench_case("random_increment", sizeof(long) * (size_t)PER_THREAD * THREADS, 1e-6 * (double)UPDATES, "M/s", update,
             update_c);
  return bench_finish("upc_random");
}
