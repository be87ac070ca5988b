/* MPI-IO as bench/io/files.upc does UPC-IO: blocks dealt out to the ranks in turn, collective writes and reads through
 * a file view. Open MPI's implementations: mpirun --mca io ompio, --mca io romio321. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

enum { MAX_RESULTS = 32 };
static int me, ranks;

static struct {
  const char* name;
  size_t size;
  double value, best;
} results[MAX_RESULTS];
static int result_count;

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void report(const char* name, size_t size, double value, double best) {
  if (me != 0) return;
  printf("%-14s %9zu %10.1f MB/s, at best %.1f\n", name, size, value, best);
  results[result_count].name = name;
  results[result_count].size = size;
  results[result_count].best = best;
  results[result_count++].value = value;
}

static void give_up(const char* what) {
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double moment(void) {
  struct timespec now;
  MPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds until all ranks are here, from where the first of them began, as in files.upc. */
static double since(double start) {
  const double now = moment();
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return now - start;
}

static void forget(void) {
  if (!disk) return;
  MPI_Barrier(MPI_COMM_WORLD);
  int fd = open(path, O_RDONLY);
  if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0) give_up(path);
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(size_t block) {
  char* mine = malloc(each);
  double *write = calloc((size_t)rounds, sizeof(double)), *read = calloc((size_t)rounds, sizeof(double));
  if (mine == NULL || write == NULL || read == NULL) give_up("malloc");
  MPI_Datatype one, mine_of_all;
  MPI_Type_contiguous((int)block, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, (MPI_Aint)(block * (size_t)ranks), &mine_of_all);
  MPI_Type_commit(&mine_of_all);
  MPI_File file;
  if (me == 0) (void)unlink(path);
  MPI_Barrier(MPI_COMM_WORLD);
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                    &file) != MPI_SUCCESS ||
      MPI_File_set_view(file, (MPI_Offset)block * me, MPI_BYTE, mine_of_all, "native", MPI_INFO_NULL) != MPI_SUCCESS)
    give_up(path);
  for (int i = -1; i < rounds; i++) {
    MPI_Status status;
    memset(mine, 'a' + me % 16 + i, each);
    double start = moment();
    if (MPI_File_seek(file, 0, MPI_SEEK_SET) != MPI_SUCCESS ||
        MPI_File_write_all(file, mine, (int)each, MPI_BYTE, &status) != MPI_SUCCESS ||
        (disk && MPI_File_sync(file) != MPI_SUCCESS))
      give_up("MPI_File_write_all");
    double took = since(start);
    if (i >= 0) write[i] = took;
    memset(mine, 0, each);
    forget();
    start = moment();
    if (MPI_File_seek(file, 0, MPI_SEEK_SET) != MPI_SUCCESS ||
        MPI_File_read_all(file, mine, (int)each, MPI_BYTE, &status) != MPI_SUCCESS)
      give_up("MPI_File_read_all");
    took = since(start);
    if (i >= 0) read[i] = took;
    for (size_t k = 0; k < each; k++)
      if (mine[k] != (char)('a' + me % 16 + i)) give_up("what was read is not what was written");
  }
  MPI_File_close(&file);
  MPI_Type_free(&mine_of_all);
  MPI_Type_free(&one);
  qsort(write, (size_t)rounds, sizeof(double), by_value);
  qsort(read, (size_t)rounds, sizeof(double), by_value);
  const double total = (double)each * ranks / 1e6;
  report("write", block, total / write[rounds / 2], total / write[0]);
  report("read", block, total / read[rounds / 2], total / read[0]);
  free(write);
  free(read);
  free(mine);
}

static void write_json(void) {
  FILE* out = fopen(json, "w");
  if (out == NULL) give_up(json);
  fprintf(out, "{\"benchmark\":\"io\",\"ranks\":%d,\"results\":[", ranks);
  for (int i = 0; i < result_count; i++)
    fprintf(out, "%s{\"name\":\"%s\",\"size_bytes\":%zu,\"value\":%.17g,\"best\":%.17g,\"unit\":\"MB/s\"}",
            i == 0 ? "" : ",", results[i].name, results[i].size, results[i].value, results[i].best);
  fputs("]}\n", out);
  if (fclose(out) != 0) give_up(json);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!read_options(argc, argv, "mpi-io.data", false)) {
    if (me == 0) fprintf(stderr, "usage: %s %s\n", argv[0], usage);
    MPI_Finalize();
    return 2;
  }
  for (int i = 0; i < BLOCKS; i++)
    if (only == 0 || only == blocks[i]) measure(blocks[i]);
  if (me == 0 && json != NULL) write_json();
  MPI_Finalize();
  return 0;
}
