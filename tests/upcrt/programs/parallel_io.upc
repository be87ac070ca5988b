/* Parallel files through the compiler: every function of <upc_io.h> by its UPC declaration, and what program_test.py
 * lets go wrong. parallel_io FILE [SCENARIO] */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <upc.h>
#include <upc_io.h>

#if __UPC_IO__ != 1
#error "__UPC_IO__"
#endif

#define CHECK(condition)                                                                                       \
  do {                                                                                                         \
    if (!(condition)) {                                                                                        \
      fprintf(stderr, "%s:%d: thread %d: %s (%s)\n", __FILE__, __LINE__, MYTHREAD, #condition, strerror(errno)); \
      upc_global_exit(1);                                                                                      \
    }                                                                                                          \
  } while (0)

enum { EACH = 12 };
static upc_file_t *shared passed;
shared [3] int out[EACH * THREADS], in[EACH * THREADS];
static const upc_flag_t flags = UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC;

static void all_functions(const char *name) {
  const size_t total = EACH * THREADS, bytes = total * sizeof(int);
  upc_hint_t hint = {"access_style", "write_once,sequential"};
  upc_file_t *file = upc_all_fopen(name, UPC_RDWR | UPC_CREATE | UPC_TRUNC | UPC_COMMON_FP, 1, &hint);
  CHECK(file != NULL);
  upc_forall (int i = 0; i < EACH * THREADS; i++; &out[i]) out[i] = 7 * i + 1;
  CHECK(upc_all_fwrite_shared(file, out, upc_blocksizeof(out), sizeof(int), total, flags) == (upc_off_t)bytes);
  CHECK(upc_all_fsync(file) == 0);
  CHECK(upc_all_fget_size(file) == (upc_off_t)bytes);
  CHECK(upc_all_fseek(file, 0, UPC_SEEK_SET) == 0);
  upc_all_fread_shared_async(file, in, upc_blocksizeof(in), sizeof(int), total, flags);
  CHECK(upc_all_fcntl(file, UPC_ASYNC_OUTSTANDING, NULL) == 1);
  CHECK(upc_all_fwait_async(file) == (upc_off_t)bytes);
  for (int i = 0; i < EACH * THREADS; i++) CHECK(in[i] == 7 * i + 1);
  upc_barrier;

  CHECK(upc_all_fcntl(file, UPC_SET_INDIVIDUAL_FP, NULL) == 0);
  int local[EACH];
  CHECK(upc_all_fseek(file, MYTHREAD * sizeof local, UPC_SEEK_SET) == (upc_off_t)(MYTHREAD * sizeof local));
  CHECK(upc_all_fread_local(file, local, sizeof(int), EACH, flags) == sizeof local);
  for (int i = 0; i < EACH; i++) CHECK(local[i] == 7 * (MYTHREAD * EACH + i) + 1);
  for (int i = 0; i < EACH; i++) local[i] = -MYTHREAD;
  CHECK(upc_all_fseek(file, -(upc_off_t)sizeof local, UPC_SEEK_CUR) == (upc_off_t)(MYTHREAD * sizeof local));
  upc_all_fwrite_local_async(file, local, sizeof(int), EACH, flags);
  int done = 0;
  upc_off_t moved = 0;
  while (!done) moved = upc_all_ftest_async(file, &done);
  CHECK(moved == sizeof local);
  CHECK(upc_all_fsync(file) == 0);

  /* Lists: every thread's first and last element. */
  struct upc_filevec place[2] = {{MYTHREAD * sizeof local, 4}, {(MYTHREAD + 1) * sizeof local - 4, 4}};
  int two[2] = {100 + MYTHREAD, 200 + MYTHREAD}, again[2];
  struct upc_local_memvec memory[2] = {{&two[0], 4}, {&two[1], 4}};
  CHECK(upc_all_fwrite_list_local(file, 2, memory, 2, place, flags) == 8);
  CHECK(upc_all_fsync(file) == 0);
  memory[0].baseaddr = &again[0];
  memory[1].baseaddr = &again[1];
  CHECK(upc_all_fread_list_local(file, 2, memory, 2, place, flags) == 8);
  CHECK(again[0] == 100 + MYTHREAD && again[1] == 200 + MYTHREAD);
  again[0] = 0;
  upc_all_fread_list_local_async(file, 2, memory, 2, place, flags);
  CHECK(upc_all_fwait_async(file) == 8 && again[0] == 100 + MYTHREAD);
  upc_all_fwrite_list_local_async(file, 2, memory, 2, place, flags);
  CHECK(upc_all_fwait_async(file) == 8);
  struct upc_shared_memvec spread = {&in[3 * MYTHREAD], upc_blocksizeof(in) * sizeof(int), 8};
  CHECK(upc_all_fread_list_shared(file, 1, &spread, 2, place, flags) == 8);
  CHECK(in[3 * MYTHREAD] == 100 + MYTHREAD && in[3 * MYTHREAD + 1] == 200 + MYTHREAD);
  upc_all_fread_list_shared_async(file, 1, &spread, 2, place, flags);
  CHECK(upc_all_fwait_async(file) == 8);
  CHECK(upc_all_fwrite_list_shared(file, 1, &spread, 2, place, flags) == 8);
  upc_all_fwrite_list_shared_async(file, 1, &spread, 2, place, flags);
  CHECK(upc_all_fwait_async(file) == 8);
  upc_all_fread_local_async(file, local, sizeof(int), 0, flags);
  CHECK(upc_all_fwait_async(file) == 0);
  CHECK(upc_all_fseek(file, 0, UPC_SEEK_END) == (upc_off_t)bytes);
  upc_all_fwrite_shared_async(file, &out[3 * MYTHREAD], 3, sizeof(int), 0, flags);
  CHECK(upc_all_fwait_async(file) == 0);
  CHECK(upc_all_fwrite_local(file, NULL, 0, 0, flags) == 0);

  CHECK(upc_all_fset_size(file, 1000) == 0 && upc_all_fpreallocate(file, 2000) == 0);
  CHECK(upc_all_fget_size(file) == 2000);
  const char *own = NULL;
  CHECK(upc_all_fcntl(file, UPC_GET_FN, &own) == 0 && strcmp(own, name) == 0);
  const upc_hint_t *hints = NULL;
  CHECK(upc_all_fcntl(file, UPC_GET_HINTS, &hints) == 1 && strcmp(hints[0].key, "access_style") == 0);
  if (MYTHREAD == THREADS - 1) passed = file; /* a handle is the same on all threads */
  upc_barrier;
  CHECK(passed == file);
  CHECK(upc_all_fclose(file) == 0);
  errno = 0;
  CHECK(upc_all_fclose(file) == -1 && errno == EBADF);
  CHECK(upc_all_fopen("/no/such/folder/x", UPC_RDONLY | UPC_COMMON_FP, 0, NULL) == NULL && errno == ENOENT);
}

enum { BLOCK = 1 << 16 };

/* Synchronises one part, tells so, and writes another until somebody ends it. */
static void write_for_ever(const char *name) {
  static char block[BLOCK];
  upc_file_t *file = upc_all_fopen(name, UPC_RDWR | UPC_CREATE | UPC_TRUNC | UPC_INDIVIDUAL_FP, 0, NULL);
  CHECK(file != NULL);
  memset(block, 'a' + MYTHREAD, sizeof block);
  CHECK(upc_all_fseek(file, MYTHREAD * sizeof block, UPC_SEEK_SET) >= 0);
  CHECK(upc_all_fwrite_local(file, block, 1, sizeof block, 0) == sizeof block);
  CHECK(upc_all_fsync(file) == 0);
  printf("%d %d\n", MYTHREAD, (int)getpid());
  fflush(stdout);
  upc_off_t start = THREADS * sizeof block;
  for (long i = 0;; i++) {
    CHECK(upc_all_fseek(file, start + (i % 64 * THREADS + MYTHREAD) * sizeof block, UPC_SEEK_SET) >= 0);
    upc_all_fwrite_local_async(file, block, 1, sizeof block, 0);
    CHECK(upc_all_fwait_async(file) == sizeof block);
  }
}

/* The same with blocks that are written by threads of other hosts, too: all make parts of one call. */
static void write_together_for_ever(const char *name) {
  const size_t total = (size_t)THREADS * BLOCK;
  shared void *array = upc_all_alloc(total / 64, 64);
  upc_file_t *file = upc_all_fopen(name, UPC_RDWR | UPC_CREATE | UPC_TRUNC | UPC_COMMON_FP, 0, NULL);
  CHECK(file != NULL && array != NULL);
  memset((char *)((shared char *)array + MYTHREAD), 'a' + MYTHREAD, BLOCK);
  CHECK(upc_all_fwrite_shared(file, array, 64, 1, total, 0) == (upc_off_t)total);
  CHECK(upc_all_fsync(file) == 0);
  printf("%d %d\n", MYTHREAD, (int)getpid());
  fflush(stdout);
  for (long i = 0;; i++) {
    CHECK(upc_all_fseek(file, (1 + i % 64) * total, UPC_SEEK_SET) >= 0);
    CHECK(upc_all_fwrite_shared(file, array, 64, 1, total, 0) == (upc_off_t)total);
  }
}

/* The processors of the thread of this process that may use most, while an asynchronous operation is under way. */
static void count_processors(const char *name) {
  char byte = 'x', line[4096];
  upc_file_t *file = upc_all_fopen(name, UPC_RDWR | UPC_CREATE | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE, 0, NULL);
  CHECK(file != NULL);
  upc_all_fwrite_local_async(file, &byte, 1, 1, 0);
  CHECK(upc_all_fwait_async(file) == 1); /* the helper stays */
  FILE *tasks = popen("cat /proc/$PPID/task/*/status", "r");
  CHECK(tasks != NULL);
  while (fgets(line, sizeof line, tasks) != NULL)
    if (strncmp(line, "Cpus_allowed_list:", 18) == 0) printf("%d%s", MYTHREAD, line + 18);
  CHECK(pclose(tasks) == 0 && upc_all_fclose(file) == 0);
}

/* A file system that becomes full: told to all, what was synchronised is whole, and there is a way on. */
static void fill(const char *name) {
  static char block[BLOCK], back[BLOCK];
  upc_file_t *file = upc_all_fopen(name, UPC_RDWR | UPC_CREATE | UPC_TRUNC | UPC_INDIVIDUAL_FP, 0, NULL);
  CHECK(file != NULL);
  memset(block, 'a' + MYTHREAD, sizeof block);
  CHECK(upc_all_fseek(file, MYTHREAD * sizeof block, UPC_SEEK_SET) >= 0);
  CHECK(upc_all_fwrite_local(file, block, 1, sizeof block, 0) == sizeof block);
  CHECK(upc_all_fsync(file) == 0);
  upc_off_t start = THREADS * sizeof block;
  long calls = 0;
  for (;; calls++) {
    CHECK(upc_all_fseek(file, start + (calls * THREADS + MYTHREAD) * sizeof block, UPC_SEEK_SET) >= 0);
    if (upc_all_fwrite_local(file, block, 1, sizeof block, 0) < 0) break;
  }
  CHECK(errno == ENOSPC && calls > 0);
  errno = 0;
  CHECK(upc_all_fpreallocate(file, 1 << 24) == -1 && errno == ENOSPC);
  CHECK(upc_all_fseek(file, MYTHREAD * sizeof block, UPC_SEEK_SET) >= 0);
  CHECK(upc_all_fread_local(file, back, 1, sizeof back, 0) == sizeof back);
  CHECK(memcmp(block, back, sizeof back) == 0);
  CHECK(upc_all_fset_size(file, start) == 0); /* makes room */
  CHECK(upc_all_fseek(file, start + MYTHREAD * sizeof block, UPC_SEEK_SET) >= 0);
  CHECK(upc_all_fwrite_local(file, block, 1, sizeof block, 0) == sizeof block);
  CHECK(upc_all_fclose(file) == 0);
  if (MYTHREAD == 0) puts("a full disk is told");
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[2] : "all";
  if (strcmp(what, "all") == 0) {
    all_functions(argv[1]);
    if (MYTHREAD == 0) puts("parallel files are right");
    return 0;
  }
  if (strcmp(what, "for ever") == 0) write_for_ever(argv[1]);
  if (strcmp(what, "together for ever") == 0) write_together_for_ever(argv[1]);
  if (strcmp(what, "processors") == 0) {
    count_processors(argv[1]);
    return 0;
  }
  if (strcmp(what, "fill") == 0) {
    fill(argv[1]);
    return 0;
  }
  char bytes[100] = "x";
  upc_file_t *file = upc_all_fopen(argv[1], UPC_RDWR | UPC_CREATE | UPC_INDIVIDUAL_FP | UPC_DELETE_ON_CLOSE, 0, NULL);
  CHECK(file != NULL);
  if (strcmp(what, "left open") == 0) { /* as is an asynchronous operation */
    upc_all_fwrite_local_async(file, bytes, 1, 1, 0);
    return 0;
  }
  if (strcmp(what, "exit") == 0) upc_global_exit(3);
  if (strcmp(what, "twice") == 0) {
    upc_all_fwrite_local_async(file, bytes, 1, 1, 0);
    upc_all_fwrite_local_async(file, bytes, 1, 1, 0);
  }
  if (strcmp(what, "closed") == 0) {
    upc_all_fclose(file);
    upc_all_fread_local_async(file, bytes, 1, 1, 0);
  }
  if (strcmp(what, "notify") == 0) {
    upc_notify;
    upc_all_fsync(file);
  }
  if (strcmp(what, "flags") == 0) upc_all_fread_local(file, bytes, 1, 1, 0x100);
  if (strcmp(what, "others") == 0) {
    if (MYTHREAD == 0) upc_all_fsync(file);
    else upc_all_fget_size(file);
  }
  if (strcmp(what, "barrier") == 0) {
    if (MYTHREAD == 0) upc_all_fsync(file);
    else upc_barrier;
  }
  if (strcmp(what, "differ") == 0) upc_all_fset_size(file, 10 + MYTHREAD);
  static shared char data[100 * THREADS];
  upc_file_t *common = upc_all_fopen(argv[1], UPC_RDWR | UPC_CREATE | UPC_COMMON_FP | UPC_DELETE_ON_CLOSE, 0, NULL);
  CHECK(common != NULL);
  if (strcmp(what, "nmemb") == 0)
    CHECK(upc_all_fwrite_shared(common, data, 1, 1, 40 - MYTHREAD, 0) == -1 && errno == EINVAL);
  if (strcmp(what, "buffer") == 0)
    CHECK(upc_all_fread_shared(common, &data[MYTHREAD], 1, 1, 40, 0) == -1 && errno == EINVAL);
  if (strcmp(what, "files") == 0)
    CHECK(upc_all_fwrite_shared(MYTHREAD == 0 ? common : file, data, 1, 1, 40, 0) == -1 && errno == EINVAL);
  if (strcmp(what, "sync") == 0)
    CHECK(upc_all_fwrite_shared(common, data, 1, 1, 40, MYTHREAD == 0 ? UPC_IN_ALLSYNC : UPC_IN_MYSYNC) == -1);
  if (strcmp(what, "hints") == 0) {
    struct upc_hint hint = {"file_perm", MYTHREAD == 0 ? "600" : "640"};
    CHECK(upc_all_fopen("hinted", UPC_RDWR | UPC_CREATE | UPC_COMMON_FP, 1, &hint) == NULL && errno == EINVAL);
    CHECK(upc_all_fopen("hinted", UPC_RDWR | UPC_CREATE | UPC_COMMON_FP, MYTHREAD, &hint) == NULL);
    int pointer = MYTHREAD == 0 ? UPC_INDIVIDUAL_FP : UPC_COMMON_FP;
    CHECK(upc_all_fopen("hinted", UPC_RDWR | UPC_CREATE | pointer, 0, NULL) == NULL);
  }
  if (strcmp(what, "overlap") == 0) {
    struct upc_local_memvec memory[2] = {{bytes, 2}, {bytes + 1, 2}};
    struct upc_filevec place = {0, 4};
    CHECK(upc_all_fread_list_local(file, 2, memory, 1, &place, 0) == -1 && errno == EINVAL);
  }
  return 0;
}
