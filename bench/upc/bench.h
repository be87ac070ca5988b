/* Measuring for the UPC benchmarks. A case is a loop written the obvious way and its limit, both timed in turns in the same
 * run; the best of the repetitions counts, because anything slower is somebody else's doing. Thread 0 prints
 * one line per case and, with --json FILE, writes the results in the form docs/PERFORMANCE.md describes. */
#ifndef WEFT_BENCH_UPC_H
#define WEFT_BENCH_UPC_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <upc.h>

enum { BENCH_MAX = 32, BENCH_REPEATS = 15 };
typedef struct bench_result {
  char name[48];
  size_t size_bytes;
  double value, limit; /* in `unit`; more is better */
  const char *unit;
} bench_result;

static bench_result bench_results[BENCH_MAX];
static int bench_count;

static double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double bench_once(void (*work)(void)) {
  upc_barrier;
  double start = bench_seconds();
  work();
  upc_barrier;
  return bench_seconds() - start;
}

/* `amount` of `unit` is done by one call on all threads together. */
static void bench_case(const char *name, size_t size_bytes, double amount, const char *unit, void (*work)(void),
                       void (*limit)(void)) {
  double best = 1e30, best_limit = 1e30;
  bench_once(work);
  bench_once(limit);
  for (int i = 0; i < BENCH_REPEATS; i++) {
    double a = bench_once(work), b = bench_once(limit);
    if (a < best) best = a;
    if (b < best_limit) best_limit = b;
  }
  if (MYTHREAD != 0) return;
  bench_result *r = &bench_results[bench_count++];
  snprintf(r->name, sizeof r->name, "%s", name);
  r->size_bytes = size_bytes;
  r->value = amount / best;
  r->limit = amount / best_limit;
  r->unit = unit;
  printf("%-30s %10.4f ms   limit %10.4f ms   %10.2f %-10s ratio %.3f\n", name, best * 1e3, best_limit * 1e3, r->value, unit,
         r->value / r->limit);
}

static int bench_finish(const char *benchmark, int argc, char **argv) {
  if (MYTHREAD != 0) return 0;
  const char *file = NULL;
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], "--json") == 0) file = argv[i + 1];
  if (file == NULL) return 0;
  FILE *out = fopen(file, "w");
  if (out == NULL) {
    perror(file);
    return 1;
  }
  const char *conduit = getenv("WEFT_CONDUIT");
  fprintf(out, "{\"benchmark\":\"%s\",\"ranks\":%d,\"conduit\":\"%s\",\"results\":[", benchmark, THREADS,
          conduit == NULL || *conduit == 0 ? "smp" : conduit);
  for (int i = 0; i < bench_count; i++) {
    const bench_result *r = &bench_results[i];
    fprintf(out, "%s{\"name\":\"%s\",\"size_bytes\":%zu,\"value\":%.6g,\"unit\":\"%s\",\"limit\":%.6g,\"ratio_to_limit\":%.4f}",
            i == 0 ? "" : ",", r->name, r->size_bytes, r->value, r->unit, r->limit, r->value / r->limit);
  }
  fputs("]}\n", out);
  return fclose(out) == 0 ? 0 : 1;
}
#endif
