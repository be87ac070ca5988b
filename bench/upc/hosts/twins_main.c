/* NAME [--quick] [--json FILE]: measures each twin of the program as measure.h does the UPC kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../json_file.h"
#include "twins.h"

enum { MAX_RESULTS = 32 };
#define BUDGET_S 0.2
#define HEAD_START_S 150e-6

int me, ranks;
static int quick;
static const char* json;
static struct {
  twin kernel;
  double value;
  uint64_t checksum;
} results[MAX_RESULTS];
static int result_count;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A moment that has not yet come when all ranks know it. */
static double common_moment(void) {
  double start = seconds() + HEAD_START_S;
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  while (seconds() < start) continue;
  return start;
}

/* Nanoseconds per element of one turn. */
static double turn(const twin* kernel, int calls, uint64_t* checksum) {
  kernel->prepare();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = common_moment();
  void (*volatile run)(void) = kernel->run;
  for (int i = 0; i < calls; i++) run();
  double end = seconds();
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (kernel->finish != NULL) kernel->finish();
  uint64_t sum = checksum_of(kernel->result, kernel->words, (size_t)me * kernel->words);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  *checksum = sum & CHECKSUM_BITS;
  return 1e9 * (end - start) / (double)calls / (double)kernel->elements;
}

static void measure(const twin* kernel) {
  uint64_t checksum, unused;
  turn(kernel, 1, &checksum);
  double best = 1e30, begun = seconds();
  int go_on = 1;
  for (int i = 0; go_on; i++) {
    const double now = turn(kernel, kernel->calls, &unused);
    if (now < best) best = now;
    go_on = !quick && i < 300 && (i < 5 || seconds() - begun < BUDGET_S);
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (me != 0) return;
  if (result_count == MAX_RESULTS) {
    fprintf(stderr, "%s: more than %d results; raise MAX_RESULTS\n", kernel->name, MAX_RESULTS);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  printf("%-24s %6zu elements   %10.2f ns\n", kernel->name, kernel->elements, best);
  results[result_count].kernel = *kernel;
  results[result_count].value = best;
  results[result_count++].checksum = checksum;
}

void measure_twins(const twin* first, size_t count) {
  for (size_t i = 0; i < count; i++) measure(&first[i]);
}

static int write_json(void) {
  FILE* out = json_open(json);
  if (out == NULL) return 1;
  fprintf(out, "{\"benchmark\":\"%s\",\"ranks\":%d,\"conduit\":\"openmpi\",\"results\":[", twins_name, ranks);
  for (int i = 0; i < result_count; i++)
    fprintf(out,
            "%s{\"name\":\"%s\",\"size_bytes\":%zu,\"value\":%.17g,\"unit\":\"ns\",\"limit\":null,"
            "\"ratio_to_limit\":null,\"checksum\":%llu}",
            i == 0 ? "" : ",", results[i].kernel.name, results[i].kernel.elements * sizeof(double), results[i].value,
            (unsigned long long)results[i].checksum);
  fputs("]}\n", out);
  return json_close(out, json);
}

/* 0, or 2 with a line from rank 0. */
static int read_arguments(int argc, char** argv) {
  if (twins_ranks != 0 && ranks != twins_ranks) {
    if (me == 0) fprintf(stderr, "%s: %d ranks; this program takes %d\n", argv[0], ranks, twins_ranks);
    return 2;
  }
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) {
      quick = 1;
    } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      json = argv[++i];
    } else {
      if (me == 0) fprintf(stderr, "%s: unknown argument '%s'; usage: [--quick] [--json FILE]\n", argv[0], argv[i]);
      return 2;
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int failed = read_arguments(argc, argv);
  if (!failed) {
    run_twins();
    if (me == 0 && json != NULL) failed = write_json();
  }
  MPI_Finalize();
  return failed;
}
