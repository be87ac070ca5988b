/* weft-start: what a rank has taken when its job has begun: processor time, memory that it shares with nobody, and all
 * memory with its part of what it shares (Private_Dirty and Pss of /proc/self/smaps_rollup). Rank 0 prints medians and
 * maxima over the ranks. Time it as a whole for the rest:
 *   time weftrun -n 200 weft-start */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <weft/weft.h>

enum { figures = 5 };

static const char* const names[figures] = {"user time, us", "system time, us", "private memory, KiB", "memory, KiB",
                                           "page faults"};

static uint64_t microseconds(struct timeval time) { return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec; }

/* `what`: "Pss: %llu kB". */
static uint64_t memory_kib(const char* what) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL) weft_abort("/proc/self/smaps_rollup cannot be read");
  char line[256];
  unsigned long long kib = 0;
  while (fgets(line, sizeof line, file) != NULL && sscanf(line, what, &kib) != 1) {
  }
  fclose(file);
  return kib;
}

static int compare(const void* left, const void* right) {
  const uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  struct rusage taken;
  getrusage(RUSAGE_SELF, &taken);
  const uint64_t mine[figures] = {microseconds(taken.ru_utime), microseconds(taken.ru_stime),
                                  memory_kib("Private_Dirty: %llu kB"), memory_kib("Pss: %llu kB"),
                                  (uint64_t)taken.ru_minflt};
  const size_t ranks = weft_size();
  size_t all;
  if (weft_alloc_symmetric(ranks * sizeof mine, 0, &all) != WEFT_OK) weft_abort("no memory for the figures");
  for (size_t i = 0; i < figures; ++i)
    weft_put_value(0, all + (i * ranks + weft_rank()) * sizeof mine[i], mine[i], sizeof mine[i]);
  weft_barrier();
  if (weft_rank() == 0) {
    uint64_t* values = weft_pointer(0, all);
    printf("%-20s %10s %10s\n", "a rank's", "median", "maximum");
    for (size_t i = 0; i < figures; ++i, values += ranks) {
      qsort(values, ranks, sizeof *values, compare);
      printf("%-20s %10llu %10llu\n", names[i], (unsigned long long)values[ranks / 2],
             (unsigned long long)values[ranks - 1]);
    }
  }
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
