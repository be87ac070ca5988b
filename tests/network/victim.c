// A job that others try to disturb: victim FOLDER MODE
//   guard   fills its segment with a pattern, writes FOLDER/ready.RANK with its process id, polls until FOLDER/stop is
//           there, and then checks that nobody has written and that communication works
//   aloof   rank 1 computes for two seconds without a call of Weft, while rank 0 puts, gets, fetches and signals, and
//           prints how many milliseconds that took
//   flood   rank 0 puts to rank 1 without end; rank 1 writes FOLDER/ready.1 after a while and goes on polling
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weft/weft.h>

enum { bytes = 1 << 20 };

static void fail(const char* what) {
  fprintf(stderr, "victim: rank %u: %s\n", weft_rank(), what);
  weft_exit(3);
}

static void announce(const char* folder) {
  char path[512], final_path[512];
  snprintf(path, sizeof path, "%s/.ready.%u", folder, weft_rank());
  snprintf(final_path, sizeof final_path, "%s/ready.%u", folder, weft_rank());
  FILE* file = fopen(path, "w");
  if (!file) fail("cannot write its file");
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  if (rename(path, final_path) != 0) fail("cannot name its file");
}

static void guard(const char* folder, size_t offset) {
  unsigned char* mine = (unsigned char*)weft_segment_base() + offset;
  memset(mine, 0x5a, bytes);
  weft_barrier();
  uint64_t word = weft_rank();
  weft_put((weft_rank() + 1) % weft_size(), offset + bytes, &word, sizeof word);  // connections are there
  weft_barrier();
  announce(folder);
  char stop[512];
  snprintf(stop, sizeof stop, "%s/stop", folder);
  while (access(stop, F_OK) != 0)
    if (weft_poll() == 0) usleep(1000);
  weft_barrier();
  for (size_t i = 0; i < bytes; ++i)
    if (mine[i] != 0x5a) fail("its memory has changed");
  for (int i = 0; i < 100; ++i) {
    weft_put((weft_rank() + 1) % weft_size(), offset, mine + bytes / 2, bytes / 2);
    weft_barrier();
  }
  if (weft_rank() == 0) puts("unharmed");
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void aloof(size_t offset) {
  weft_atomic_domain_t* domain = NULL;
  if (weft_atomic_domain_create(WEFT_U64, WEFT_ATOMIC_OPS_ALL, &domain) != WEFT_OK) fail("no atomics");
  uint64_t* mine = (uint64_t*)((char*)weft_segment_base() + offset);
  mine[0] = mine[1] = 0;
  uint64_t word = 7, got = 0;
  weft_barrier();
  weft_put(1 - weft_rank(), offset + 64, &word, sizeof word);  // connections are there
  weft_barrier();
  if (weft_rank() == 1) {
    for (const double end = now_ms() + 2000; now_ms() < end;) continue;
  } else {
    const double start = now_ms();
    weft_put(1, offset + 64, &word, sizeof word);
    weft_get(&got, 1, offset + 64, sizeof got);
    if (got != 7) fail("a get has brought something else");
    weft_memset(1, offset + 128, 1, 4096);
    if (weft_atomic_fetch_add64(domain, 1, offset, 5) != 0) fail("the word was not zero");
    weft_handle_t handle;
    weft_put_signal_nb(1, offset + 64, &word, sizeof word, offset + 8, 9, WEFT_SIGNAL_SET, 0, &handle);
    weft_handle_wait(handle);
    printf("%.0f\n", now_ms() - start);
  }
  weft_barrier();
  if (weft_rank() == 1 && (mine[0] != 5 || mine[1] != 9)) fail("a word is not what it should be");
  weft_atomic_domain_destroy(domain);
}

static void flood(const char* folder, size_t offset) {
  static unsigned char source[bytes];
  for (unsigned long i = 0;; ++i) {
    if (weft_rank() == 0) {
      weft_put(1, offset, source, bytes);
    } else {
      weft_poll();
      if (i == 1000) announce(folder);
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  size_t offset = 0;
  if (weft_alloc_symmetric(bytes + 64, 0, &offset) != WEFT_OK) fail("no memory");
  if (strcmp(argv[2], "guard") == 0)
    guard(argv[1], offset);
  else if (strcmp(argv[2], "aloof") == 0)
    aloof(offset);
  else
    flood(argv[1], offset);
  weft_finalize();
  return 0;
}
