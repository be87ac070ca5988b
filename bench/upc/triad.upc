/* STREAM triad over shared arrays with upc_forall, for every layout; the limit is the same loop on private pointers to
 * the same memory. Sizes: in the caches (16,384 elements per thread) and beyond them (1,048,576). */
#include "bench.h"

#define SMALL 16384
#define LARGE (1 << 20)
#define ARRAYS(tag, layout, elements) \
  shared layout double a_##tag[elements], b_##tag[elements], c_##tag[elements]
ARRAYS(cyclic, , (long)SMALL *THREADS);
ARRAYS(blocked, [1024], (long)SMALL *THREADS);
ARRAYS(star, [*], (long)SMALL *THREADS);
ARRAYS(one, [], SMALL);
ARRAYS(cyclic_large, , (long)LARGE *THREADS);
ARRAYS(blocked_large, [1024], (long)LARGE *THREADS);
ARRAYS(star_large, [*], (long)LARGE *THREADS);
ARRAYS(one_large, [], LARGE);

static double scale = 3.0;

#define TRIAD(tag, elements, mine, runs)                                                  \
  static void triad_##tag(void) {                                                         \
    double s = scale;                                                                     \
    for (int r = 0; r < (runs); r++) {                                                    \
      int i;                                                                              \
      upc_forall (i = 0; i < (elements); i++; &c_##tag[i])                                \
        a_##tag[i] = b_##tag[i] + s * c_##tag[i];                                         \
    }                                                                                     \
  }                                                                                       \
  static void limit_##tag(void) {                                                         \
    double s = scale;                                                                     \
    long first = upc_blocksizeof(a_##tag) * MYTHREAD;                                     \
    long n = (mine);                                                                      \
    double *a = (double *)(n == 0 ? NULL : &a_##tag[first]);                              \
    double *b = (double *)(n == 0 ? NULL : &b_##tag[first]);                              \
    double *c = (double *)(n == 0 ? NULL : &c_##tag[first]);                              \
    for (int r = 0; r < (runs); r++)                                                      \
      for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];                                \
  }

enum { RUNS = 40 };
TRIAD(cyclic, SMALL *THREADS, SMALL, RUNS)
TRIAD(blocked, SMALL *THREADS, SMALL, RUNS)
TRIAD(star, SMALL *THREADS, SMALL, RUNS)
TRIAD(one, SMALL, MYTHREAD == 0 ? SMALL : 0, RUNS)
TRIAD(cyclic_large, LARGE *THREADS, LARGE, 1)
TRIAD(blocked_large, LARGE *THREADS, LARGE, 1)
TRIAD(star_large, LARGE *THREADS, LARGE, 1)
TRIAD(one_large, LARGE, MYTHREAD == 0 ? LARGE : 0, 1)

int main(int argc, char **argv) {
  bench_start(argc, argv);
#define CASE(name, tag, elements, runs) \
  bench_case(name, 24 * (elements), 24e-9 * (double)(elements) * (runs), "GB/s", triad_##tag, limit_##tag)
  CASE("triad_cyclic", cyclic, (size_t)SMALL * THREADS, RUNS);
  CASE("triad_blocked", blocked, (size_t)SMALL * THREADS, RUNS);
  CASE("triad_star", star, (size_t)SMALL * THREADS, RUNS);
  CASE("triad_one", one, (size_t)SMALL, RUNS);
  CASE("triad_cyclic", cyclic_large, (size_t)LARGE * THREADS, 1);
  CASE("triad_blocked", blocked_large, (size_t)LARGE * THREADS, 1);
  CASE("triad_star", star_large, (size_t)LARGE * THREADS, 1);
  CASE("triad_one", one_large, (size_t)LARGE, 1);
  return bench_finish("upc_triad");
}
