/* Checkpoint and restart: a stencil on a line of cells, saved in a file from time to time. Started again after a crash,
 * or with another number of threads, it goes on where the file says. The file is a header and the cells in their order,
 * so other programs can read it: od -t f8 -j 16 state.ckpt
 *
 *     upcrun -n 4 ./checkpoint state.ckpt 1000     # to step 1000, from the file if it is there
 *     upcrun -n 2 ./checkpoint state.ckpt 2000     # on to step 2000
 *
 * A new checkpoint is written beside the old one while the computation goes on, and takes its place only when it is on
 * the disk: a crash at any time leaves a whole one. Without arguments the program shows and checks itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <upc.h>
#include <upc_io.h>

enum { CELLS = 3600, EVERY = 50 };   /* cells of all threads; steps from one checkpoint to the next */
enum { MAGIC = 0x55504331 };

struct header { int magic, cells; long step; };

/* Cell i is on thread i / BLOCK: each thread has one block. The file has them in this order, whatever THREADS is. */
#define BLOCK ((CELLS + THREADS - 1) / THREADS)
static shared double *cells, *next, *snapshot;   /* memory of one block of BLOCK cells per thread */

static shared [] double *cell(shared double *array, int i) {
  return (shared [] double *)(array + i / BLOCK) + i % BLOCK;
}

static void check(int good, const char *what) {
  if (good) return;
  perror(what);
  upc_global_exit(1);
}

static void start(void) {
  for (int i = 0; i < CELLS; i++)
    if (i / BLOCK == MYTHREAD) *cell(cells, i) = i % 100 == 0;
}

static void step(void) {
  upc_barrier;
  for (int i = MYTHREAD * BLOCK; i < (MYTHREAD + 1) * BLOCK && i < CELLS; i++) {
    double left = *cell(cells, i == 0 ? CELLS - 1 : i - 1), right = *cell(cells, i == CELLS - 1 ? 0 : i + 1);
    *cell(next, i) = 0.5 * *cell(cells, i) + 0.25 * (left + right);
  }
  upc_barrier;
  shared double *old = cells;
  cells = next;
  next = old;
}

/* ---- Files ---- */

static upc_file_t *checkpoint;   /* being written, or null */
static char *temporary;

/* Starts to write: the computation may go on, since it changes the cells and not their copy. */
static void begin_checkpoint(const char *name, long at) {
  temporary = malloc(strlen(name) + 5);
  sprintf(temporary, "%s.new", name);
  checkpoint = upc_all_fopen(temporary, UPC_WRONLY | UPC_CREATE | UPC_TRUNC | UPC_COMMON_FP, 0, NULL);
  check(checkpoint != NULL, temporary);
  struct header header = {MAGIC, CELLS, at};
  struct upc_local_memvec memory = {&header, sizeof header};
  struct upc_filevec place = {0, sizeof header};
  /* Thread 0 writes the header; the others' lists are empty. */
  size_t entries = MYTHREAD == 0;
  check(upc_all_fwrite_list_local(checkpoint, entries, &memory, entries, &place, 0) >= 0, temporary);
  check(upc_all_fseek(checkpoint, sizeof header, UPC_SEEK_SET) >= 0, temporary);
  upc_memcpy(snapshot + MYTHREAD, cells + MYTHREAD, BLOCK * sizeof(double));
  upc_all_fwrite_shared_async(checkpoint, snapshot, BLOCK, sizeof(double), CELLS, 0);
}

static void end_checkpoint(const char *name) {
  if (checkpoint == NULL) return;
  check(upc_all_fwait_async(checkpoint) == CELLS * sizeof(double), temporary);
  check(upc_all_fclose(checkpoint) == 0, temporary);   /* on the disk */
  if (MYTHREAD == 0) check(rename(temporary, name) == 0, name);
  upc_barrier;
  free(temporary);
  checkpoint = NULL;
}

/* The step at which the file was written; 0 if there is none. */
static long restart(const char *name) {
  upc_file_t *file = upc_all_fopen(name, UPC_RDONLY | UPC_COMMON_FP, 0, NULL);
  if (file == NULL) return 0;
  struct header header = {0};
  struct upc_local_memvec memory = {&header, sizeof header};
  struct upc_filevec place = {0, sizeof header};
  check(upc_all_fread_list_local(file, 1, &memory, 1, &place, 0) == sizeof header, name);
  if (header.magic != MAGIC || header.cells != CELLS) {
    if (MYTHREAD == 0) fprintf(stderr, "%s is no checkpoint of this program\n", name);
    upc_global_exit(1);
  }
  check(upc_all_fseek(file, sizeof header, UPC_SEEK_SET) >= 0, name);
  check(upc_all_fread_shared(file, cells, BLOCK, sizeof(double), CELLS, 0) == CELLS * sizeof(double), name);
  check(upc_all_fclose(file) == 0, name);
  return header.step;
}

/* ---- The program ---- */

/* From the file, if there is one, to step `last`. */
static void run(const char *name, long last) {
  long at = restart(name);
  if (at == 0) start();
  if (MYTHREAD == 0 && at != 0) printf("goes on at step %ld\n", at);
  for (; at < last; at++) {
    if (at % EVERY == 0 && at != 0) {
      end_checkpoint(name);
      begin_checkpoint(name, at);
    }
    step();
  }
  end_checkpoint(name);
}

static void allocate(void) {
  cells = upc_all_alloc(THREADS, BLOCK * sizeof(double));
  next = upc_all_alloc(THREADS, BLOCK * sizeof(double));
  snapshot = upc_all_alloc(THREADS, BLOCK * sizeof(double));
}

/* Two runs, the second from the first one's file, end where one run does. */
static void show(void) {
  static char name[64];
  static shared int number;
  if (MYTHREAD == 0) number = getpid();
  upc_barrier;
  sprintf(name, "/tmp/checkpoint-%d", number);
  run(name, 120);
  run(name, 180);   /* from step 100 */
  double *expected = malloc(BLOCK * sizeof(double));
  upc_memget(expected, cells + MYTHREAD, BLOCK * sizeof(double));
  upc_barrier;
  if (MYTHREAD == 0) unlink(name);
  upc_barrier;
  run(name, 180);
  if (MYTHREAD == 0) unlink(name);
  double *got = malloc(BLOCK * sizeof(double));
  upc_memget(got, cells + MYTHREAD, BLOCK * sizeof(double));
  for (int i = MYTHREAD * BLOCK; i < (MYTHREAD + 1) * BLOCK && i < CELLS; i++)
    if (got[i % BLOCK] != expected[i % BLOCK]) {
      fprintf(stderr, "thread %d: cell %d differs\n", MYTHREAD, i);
      upc_global_exit(1);
    }
  upc_barrier;
  if (MYTHREAD == 0) printf("a run that was interrupted ends as one that was not: ok\n");
}

int main(int argc, char **argv) {
  allocate();
  if (argc == 3) run(argv[1], atol(argv[2]));
  else show();
  return 0;
}
