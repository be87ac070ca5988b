/* Parallel files: writes and reads of blocks dealt out to the threads in turn, and how much of a computation an
 * asynchronous operation hides. bench/io/report.py runs this beside MPI-IO (files_mpi.c), which does the same. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <upc.h>
#include <upc_io.h>

#include "options.h"

enum { MAX_RESULTS = 32 };

static struct { const char *name, *unit; size_t size; double value, best; } results[MAX_RESULTS];
static int result_count;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void report(const char *name, size_t size, double value, double best, const char *unit) {
  if (MYTHREAD != 0) return;
  printf("%-14s %9zu %10.1f %s, at best %.1f\n", name, size, value, unit, best);
  results[result_count].name = name;
  results[result_count].size = size;
  results[result_count].unit = unit;
  results[result_count].best = best;
  results[result_count++].value = value;
}

static void give_up(const char *what) {
  perror(what);
  upc_global_exit(1);
}

/* A moment that all threads share. */
static double moment(void) {
  upc_barrier;
  return seconds();
}

/* Seconds until all threads are here, from where the first of them began: where others use the processors, too, one may
 * be done before another looks at the clock. The hosts of a lab share the clock. */
static double since(double start) {
  static shared double begun[THREADS];
  begun[MYTHREAD] = start;
  const double now = moment();
  for (int t = 0; t < THREADS; t++)
    if (begun[t] < start) start = begun[t];
  return now - start;
}

/* The file's data leaves the host's memory, so that it is read from the disk. */
static void forget(void) {
  if (!disk) return;
  upc_barrier;
  int fd = open(path, O_RDONLY);
  if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0) give_up(path);
  close(fd);
  upc_barrier;
}

static upc_file_t *open_file(void) {
  const int flags = UPC_RDWR | UPC_CREATE | UPC_TRUNC | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE;
  upc_file_t *file = upc_all_fopen(path, flags, 0, NULL);
  if (file == NULL) give_up(path);
  return file;
}

static char *part_of(shared void *array) { return (char *)((shared char *)array + MYTHREAD); }

static void measure(size_t block) {
  size_t total = each * THREADS;
  shared void *array = upc_all_alloc(total / block, block);
  char *mine = part_of(array);
  double *write = calloc(rounds, sizeof(double)), *read = calloc(rounds, sizeof(double));
  upc_file_t *file = open_file();
  for (int i = -1; i < rounds; i++) { /* one more, which makes the file */
    memset(mine, 'a' + MYTHREAD % 16 + i, each);
    double start = moment();
    if (upc_all_fseek(file, 0, UPC_SEEK_SET) < 0 ||
        upc_all_fwrite_shared(file, array, block, 1, total, 0) != (upc_off_t)total ||
        (disk && upc_all_fsync(file) != 0))
      give_up("upc_all_fwrite_shared");
    double took = since(start);
    if (i >= 0) write[i] = took;
    memset(mine, 0, each);
    forget();
    start = moment();
    if (upc_all_fseek(file, 0, UPC_SEEK_SET) < 0 ||
        upc_all_fread_shared(file, array, block, 1, total, 0) != (upc_off_t)total)
      give_up("upc_all_fread_shared");
    took = since(start);
    if (i >= 0) read[i] = took;
    for (size_t k = 0; k < each; k++)
      if (mine[k] != (char)('a' + MYTHREAD % 16 + i)) give_up("what was read is not what was written");
  }
  upc_all_fclose(file);
  const double megabytes = (double)total / 1e6;
  qsort(write, rounds, sizeof(double), by_value);
  qsort(read, rounds, sizeof(double), by_value);
  report("write", block, megabytes / write[rounds / 2], megabytes / write[0], "MB/s");
  report("read", block, megabytes / read[rounds / 2], megabytes / read[0], "MB/s");
  free(write);
  free(read);
  upc_all_free(array);
}

/* ---- Overlap ---- */
static volatile double sink;
static void compute(double loops) {
  double x = sink; /* not known to the compiler */
  for (long i = 0; i < (long)loops; i++) x = x * 0.999999 + 1e-6;
  sink = x;
}

static double transfer(upc_file_t *file, shared void *array, size_t block, int writes, double loops) {
  if (!writes) forget();
  double start = moment();
  if (upc_all_fseek(file, 0, UPC_SEEK_SET) < 0) give_up("upc_all_fseek");
  if (writes)
    upc_all_fwrite_shared_async(file, array, block, 1, each * THREADS, 0);
  else
    upc_all_fread_shared_async(file, array, block, 1, each * THREADS, 0);
  compute(loops);
  if (upc_all_fwait_async(file) != (upc_off_t)(each * THREADS)) give_up("upc_all_fwait_async");
  return since(start);
}

static double median(double *values) {
  qsort(values, rounds, sizeof(double), by_value);
  return values[rounds / 2];
}

/* Seconds of a computation. */
static double computation_of(double loops) {
  double start = moment();
  compute(loops);
  return since(start);
}

/* The transfer alone, a computation as long as that alone, and both at once: medians of each. */
static void measure_overlap(size_t block, int writes) {
  shared void *array = upc_all_alloc(each * THREADS / block, block);
  memset(part_of(array), 1, each);
  upc_file_t *file = open_file();
  transfer(file, array, block, 1, 0);
  if (upc_all_fsync(file) != 0) give_up("upc_all_fsync");
  double *alone = calloc(rounds, sizeof(double)), *computation = calloc(rounds, sizeof(double)),
         *both = calloc(rounds, sizeof(double)), *loop = calloc(rounds, sizeof(double));
  for (int i = 0; i < rounds; i++) {
    alone[i] = transfer(file, array, block, writes, 0);
    loop[i] = computation_of(1e6) / 1e6;
  }
  static shared double length;
  if (MYTHREAD == 0) length = median(alone) / median(loop);
  upc_barrier;
  double loops = length;
  for (int i = 0; i < rounds; i++) {
    computation[i] = computation_of(loops);
    both[i] = transfer(file, array, block, writes, loops);
  }
  double saved = median(alone) + median(computation) - median(both);
  report(writes ? "hidden_write" : "hidden_read", block, 100 * saved / median(computation),
         100 * (median(alone) + median(computation) - both[0]) / median(computation), "%");
  free(alone);
  free(computation);
  free(both);
  free(loop);
  upc_all_fclose(file);
  upc_all_free(array);
}

static void write_json(void) {
  FILE *out = fopen(json, "w");
  if (out == NULL) give_up(json);
  fprintf(out, "{\"benchmark\":\"io\",\"ranks\":%d,\"results\":[", THREADS);
  for (int i = 0; i < result_count; i++)
    fprintf(out, "%s{\"name\":\"%s\",\"size_bytes\":%zu,\"value\":%.17g,\"best\":%.17g,\"unit\":\"%s\"}",
            i == 0 ? "" : ",", results[i].name, results[i].size, results[i].value, results[i].best, results[i].unit);
  fputs("]}\n", out);
  if (fclose(out) != 0) give_up(json);
}

int main(int argc, char **argv) {
  if (!read_options(argc, argv, "upc-io.data", true)) {
    if (MYTHREAD == 0) fprintf(stderr, "usage: %s [--overlap] %s\n", argv[0], usage);
    upc_barrier;
    exit(2);
  }
  if (overlap)
    /* The disk is written to by upc_all_fsync, which is not asynchronous. */
    for (int writes = disk ? 0 : 1; writes >= 0; writes--) measure_overlap(64 << 10, writes);
  else
    for (int i = 0; i < BLOCKS; i++)
      if (only == 0 || only == blocks[i]) measure(blocks[i]);
  if (MYTHREAD == 0 && json != NULL) write_json();
  return 0;
}
