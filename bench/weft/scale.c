/* weft-scale: what a job of many ranks takes: its start, a barrier, a broadcast of 4 KiB, a reduction of one number to
 * all, and an exchange in rows, which are teams of about the square root of the ranks.
 *   weftrun --sim bgp -n 16384 weft-scale [--exchange BYTES] [--json FILE]
 * Times are those of the slowest rank, virtual if the job is simulated. Processor time and memory are those of rank 0's
 * process: of all ranks if they are simulated. A processor time has the barrier after the operation, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

enum { broadcast_bytes = 4096, barriers = 3, most_figures = 8 };

static const char usage[] =
    "usage: weft-scale [--exchange BYTES] [--json FILE]\n"
    "  --help            print this\n"
    "  --exchange BYTES  of each pair of ranks in a row: 1 to 1048576 (8)\n"
    "  --json FILE       write the results there\n";

struct figure {
  const char* name;
  size_t size_bytes;
  double seconds, processor_seconds;
};

/* Of one rank; simulated ranks share what is static. */
struct results {
  struct figure all[most_figures];
  int count;
  double processor_begin;
  uint64_t begin_ns;
};

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double slowest(double value) {
  double most;
  weft_reduce_all(WEFT_TEAM_WORLD, &most, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return most;
}

static void begin(struct results* results) {
  weft_barrier();
  results->processor_begin = processor_seconds();
  results->begin_ns = weft_time_ns();
}

static void end(struct results* results, const char* name, size_t size_bytes, int times) {
  const double seconds = 1e-9 * (double)(weft_time_ns() - results->begin_ns);
  weft_barrier();
  const double processor = processor_seconds() - results->processor_begin;
  results->all[results->count++] = (struct figure){name, size_bytes, slowest(seconds) / times, processor / times};
}

static char* symmetric(size_t bytes) {
  size_t offset;
  if (weft_alloc_symmetric(bytes, 0, &offset) != WEFT_OK) weft_abort("weft-scale: no memory for the buffers");
  return weft_pointer(weft_rank(), offset);
}

static void require(int holds, const char* what) {
  if (!holds) weft_abort(what);
}

static void measure(struct results* results, size_t exchange_bytes) {
  begin(results);
  for (int i = 0; i < barriers; ++i) weft_barrier();
  end(results, "barrier", 0, barriers);

  char* const data = symmetric(broadcast_bytes);
  if (weft_rank() == 0) memset(data, 7, broadcast_bytes);
  begin(results);
  weft_broadcast(WEFT_TEAM_WORLD, data, data, broadcast_bytes, 0, 0);
  end(results, "broadcast", broadcast_bytes, 1);
  require(data[broadcast_bytes - 1] == 7, "weft-scale: the broadcast brought something else");

  double one = 1, sum = 0;
  begin(results);
  weft_reduce_all(WEFT_TEAM_WORLD, &sum, &one, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
  end(results, "reduce_all", sizeof sum, 1);
  require(sum == weft_size(), "weft-scale: the reduction gave another sum");

  weft_rank_t row_size = 1;
  while (4 * row_size * row_size <= weft_size()) row_size *= 2;
  weft_team_t row;
  begin(results);
  require(weft_team_split_stride(WEFT_TEAM_WORLD, row_size, 1, &row) == WEFT_OK, "weft-scale: no team of a row");
  end(results, "split", 0, 1);
  const weft_rank_t members = weft_team_size(row), me = weft_team_rank(row);
  char* const from = symmetric(exchange_bytes * row_size);
  char* const to = symmetric(exchange_bytes * row_size);
  memset(from, (int)(me % 127), exchange_bytes * members);
  begin(results);
  weft_exchange(row, to, from, exchange_bytes, 0);
  end(results, "exchange of rows", exchange_bytes, 1);
  for (weft_rank_t member = 0; member < members; ++member)
    require(to[member * exchange_bytes] == (char)(member % 127), "weft-scale: the exchange brought something else");
  weft_team_free(row);
}

/* The most memory that this process has had, in KiB. */
static unsigned long long memory_kib(void) {
  FILE* const file = fopen("/proc/self/status", "r");
  if (file == NULL) weft_abort("weft-scale: /proc/self/status cannot be read");
  char line[256];
  unsigned long long kib = 0;
  while (fgets(line, sizeof line, file) != NULL && sscanf(line, "VmHWM: %llu kB", &kib) != 1) {
  }
  fclose(file);
  return kib;
}

static void print(const struct results* results) {
  printf("%-18s %10s %14s %16s\n", "", "bytes", "time, us", "processor, s");
  for (const struct figure* f = results->all; f < results->all + results->count; ++f)
    printf("%-18s %10zu %14.2f %16.3f\n", f->name, f->size_bytes, 1e6 * f->seconds, f->processor_seconds);
  printf("memory %llu KiB\n", memory_kib());
}

static int write_json(const struct results* results, const char* path) {
  FILE* const file = fopen(path, "w");
  if (file != NULL) {
    fprintf(file, "{\"benchmark\": \"scale\", \"ranks\": %u, \"memory_kib\": %llu", weft_size(), memory_kib());
    const char* const machine = weft_simulated(); /* {"simulated": true, ...} */
    if (machine != NULL) fprintf(file, ", %.*s", (int)strlen(machine) - 2, machine + 1);
    fprintf(file, ", \"results\": [");
    for (int i = 0; i < results->count; ++i) {
      const struct figure* const f = results->all + i;
      fprintf(file, "%s\n {\"name\": \"%s\", \"size_bytes\": %zu, \"seconds\": %.9g, \"processor_seconds\": %.6g}",
              i == 0 ? "" : ",", f->name, f->size_bytes, f->seconds, f->processor_seconds);
    }
    fprintf(file, "\n]}\n");
    if (fclose(file) == 0) return 0;
  }
  fprintf(stderr, "weft-scale: cannot write %s: %s\n", path, strerror(errno));
  return 1;
}

/* The exit code of a command line that says all: 0 after help, 2 after what is wrong, both by rank 0. Else -1. */
static int parse(int argc, char** argv, size_t* exchange_bytes, const char** json) {
  for (int i = 1; i < argc; i += 2) {
    const char* const value = i + 1 < argc ? argv[i + 1] : NULL;
    char* rest = NULL;
    if (strcmp(argv[i], "--help") == 0) {
      if (weft_rank() == 0) fputs(usage, stdout);
      return 0;
    }
    if (strcmp(argv[i], "--json") == 0 && value != NULL) {
      *json = value;
    } else if (strcmp(argv[i], "--exchange") == 0 && value != NULL && value[0] != '-' &&
               (*exchange_bytes = strtoul(value, &rest, 10)) - 1 < 1 << 20 && *rest == '\0') {
    } else {
      if (weft_rank() == 0)
        fprintf(stderr, "weft-scale: cannot use '%s%s%s'; see weft-scale --help\n", argv[i], value ? " " : "",
                value ? value : "");
      return 2;
    }
  }
  return -1;
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  size_t exchange_bytes = 8;
  const char* json = NULL;
  int code = parse(argc, argv, &exchange_bytes, &json);
  if (code < 0) {
    code = 0;
    struct results results = {.count = 0};
    weft_barrier(); /* then all have begun */
    results.all[results.count++] = (struct figure){"start", 0, 0, processor_seconds()};
    measure(&results, exchange_bytes);
    if (weft_rank() == 0) print(&results);
    if (weft_rank() == 0 && json != NULL) code = write_json(&results, json);
  }
  return weft_finalize() == WEFT_OK ? code : 1;
}
