/* Measuring for the UPC benchmarks. A case is a loop written the obvious way and its limit, timed in turns in the same
 * run, for a third of a second; the best of the turns counts, because anything slower is somebody else's doing. Thread
 * 0 prints one line per case and, with --json FILE, writes the results in the form docs/FORMATS.md describes. --quick:
 * shows that it works, measures nothing. */
#ifndef WEFT_BENCH_UPC_H
#define WEFT_BENCH_UPC_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <upc.h>

#include "json_file.h"

/* Programs compiled in several ways report under several names. */
#if defined(__UPC_PTHREADS__)
#define BENCH_MODE "_pthreads"
#elif defined(__UPC_STATIC_THREADS__)
#define BENCH_MODE "_static"
#else
#define BENCH_MODE ""
#endif

enum { BENCH_MAX = 32, BENCH_TURNS = 15 };
typedef struct bench_result {
  char name[48];
  size_t size_bytes;
  double value, limit; /* in `unit` */
  const char *unit;
  unsigned long checksum; /* of what was computed; 0: not reported */
} bench_result;

static bench_result bench_results[BENCH_MAX];
static int bench_count;
static int bench_quick;
static shared int bench_turns;
static const char *bench_json;

static void bench_start(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) {
      bench_quick = 1;
    } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      bench_json = argv[++i];
    } else {
      if (MYTHREAD == 0)
        fprintf(stderr, "%s: unknown argument '%s'; usage: [--quick] [--json FILE]\n", argv[0], argv[i]);
      upc_barrier;
      exit(2);
    }
  }
}

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

static bench_result *bench_add(const char *name, size_t size_bytes, double value, double limit, const char *unit,
                               unsigned long checksum) {
  if (bench_count == BENCH_MAX) {
    fprintf(stderr, "%s: more than %d results; raise BENCH_MAX\n", name, BENCH_MAX);
    upc_global_exit(1);
  }
  bench_result *r = &bench_results[bench_count++];
  snprintf(r->name, sizeof r->name, "%s%s", name, BENCH_MODE);
  r->size_bytes = size_bytes;
  r->value = value;
  r->limit = limit;
  r->unit = unit;
  r->checksum = checksum;
  return r;
}

/* `amount` of `unit` is done by one call on all threads together. */
static void bench_case(const char *name, size_t size_bytes, double amount, const char *unit, void (*work)(void),
                       void (*limit)(void)) {
  double best = 1e30, best_limit = 1e30;
  bench_once(limit);
  double once = bench_once(work) + bench_once(limit);
  if (MYTHREAD == 0) bench_turns = bench_quick ? 1 : BENCH_TURNS * once > 0.3 ? BENCH_TURNS : (int)(0.3 / once);
  upc_barrier;
  for (int i = 0, turns = bench_turns; i < turns; i++) {
    double a = bench_once(work), b = bench_once(limit);
    if (a < best) best = a;
    if (b < best_limit) best_limit = b;
  }
  if (MYTHREAD != 0) return;
  const bench_result *r = bench_add(name, size_bytes, amount / best, amount / best_limit, unit, 0);
  printf("%-26s %10zu bytes %10.2f %-8s limit %10.2f   ratio %.3f\n", r->name, size_bytes, r->value, unit, r->limit,
         r->value / r->limit);
}

static int bench_finish(const char *benchmark) {
  if (MYTHREAD != 0 || bench_json == NULL) return 0;
  FILE *out = json_open(bench_json);
  if (out == NULL) return 1;
  const char *conduit = getenv("WEFT_CONDUIT");
  fprintf(out, "{\"benchmark\":\"%s%s\",\"ranks\":%d,\"conduit\":\"%s\",\"results\":[", benchmark, BENCH_MODE, THREADS,
          conduit == NULL || *conduit == 0 ? "smp" : conduit);
  for (int i = 0; i < bench_count; i++) {
    const bench_result *r = &bench_results[i];
    fprintf(out,
            "%s{\"name\":\"%s\",\"size_bytes\":%zu,\"value\":%.17g,\"unit\":\"%s\",\"limit\":%.17g,"
            "\"ratio_to_limit\":%.17g",
            i == 0 ? "" : ",", r->name, r->size_bytes, r->value, r->unit, r->limit, r->value / r->limit);
    if (r->checksum != 0) fprintf(out, ",\"checksum\":%lu", r->checksum);
    fputc('}', out);
  }
  fputs("]}\n", out);
  return json_close(out, bench_json);
}
#endif
