/* The bound for bench/io/files.upc on several hosts: the same blocks by bare system calls, whatever is fastest. Each
 * rank has blocks dealt out in turn. Ways to write: each rank writes its blocks, one call each; or two ranks exchange
 * halves through a TCP socket, put together what lies in their half of the file and write it in large calls. Ways to
 * read: each rank its blocks; through all blocks, of which it keeps its own; or its half, and an exchange. MPI starts
 * the ranks and is their barrier. The rate of the fastest way counts. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

enum { MAX_RESULTS = 32, WINDOW = 256 << 10 };
static int me, ranks, file = -1, peer = -1;
/* A rank's blocks, WINDOW bytes of the file, the half that comes from the peer or goes to it, a rank's share of the
 * file. */
static char *mine, *window, *half, *whole;

static struct {
  const char *name, *way;
  size_t size;
  double value, best;
} results[MAX_RESULTS];
static int result_count;

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
  if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) give_up(path);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void write_there(const char* from, size_t bytes, size_t at) {
  if (pwrite(file, from, bytes, (off_t)at) != (ssize_t)bytes) give_up("pwrite");
}

static void read_there(char* to, size_t bytes, size_t at) {
  if (pread(file, to, bytes, (off_t)at) != (ssize_t)bytes) give_up("pread");
}

/* ---- Each rank its own blocks ---- */

static void write_own(size_t block) {
  for (size_t i = 0; i < each / block; i++)
    write_there(mine + i * block, block, (i * (size_t)ranks + (size_t)me) * block);
}

static void read_own(size_t block) {
  for (size_t i = 0; i < each / block; i++)
    read_there(mine + i * block, block, (i * (size_t)ranks + (size_t)me) * block);
}

static void read_through(size_t block) {
  char* to = mine;
  for (size_t at = 0; at < each * (size_t)ranks; at += WINDOW) {
    read_there(window, WINDOW, at);
    for (size_t k = 0; k < WINDOW; k += block) {
      if ((at + k) / block % (size_t)ranks != (size_t)me) continue;
      memcpy(to, window + k, block);
      to += block;
    }
  }
}

/* ---- Two ranks, half of the file each ---- */

/* Sends a part of the peer's half and receives one of this rank's: at least one byte, unless both are whole. */
static void exchange(const char* out, size_t out_bytes, size_t* sent, char* in, size_t in_bytes, size_t* received) {
  struct pollfd ready = {peer, 0, 0};
  if (*sent < out_bytes) ready.events |= POLLOUT;
  if (*received < in_bytes) ready.events |= POLLIN;
  if (ready.events == 0) return;
  if (poll(&ready, 1, 10000) <= 0) give_up("poll");
  if ((ready.revents & POLLOUT) != 0) {
    const ssize_t moved = send(peer, out + *sent, out_bytes - *sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (moved > 0) *sent += (size_t)moved;
  }
  if ((ready.revents & POLLIN) != 0) {
    const ssize_t moved = recv(peer, in + *received, in_bytes - *received, MSG_DONTWAIT);
    if (moved == 0) give_up("recv");
    if (moved > 0) *received += (size_t)moved;
  }
}

static void interleave(int to_window, size_t block, char* own, char* other) {
  for (size_t k = 0; k < WINDOW / 2; k += block) {
    char *at = window + 2 * k + (size_t)me * block, *beside = window + 2 * k + (size_t)(1 - me) * block;
    memcpy(to_window ? at : own + k, to_window ? own + k : at, block);
    memcpy(to_window ? beside : other + k, to_window ? other + k : beside, block);
  }
}

static void write_half(size_t block) {
  const size_t bytes = each / 2, start = (size_t)me * each;
  const char* out = mine + (size_t)(1 - me) * bytes;
  size_t sent = 0, received = 0, written = 0;
  while (written < bytes || sent < bytes) {
    exchange(out, bytes, &sent, half, bytes, &received);
    for (; received - written >= WINDOW / 2; written += WINDOW / 2) {
      interleave(1, block, mine + (size_t)me * bytes + written, half + written);
      write_there(window, WINDOW, start + 2 * written);
    }
  }
}

static void read_half(size_t block) {
  const size_t bytes = each / 2, start = (size_t)me * each;
  char* in = mine + (size_t)(1 - me) * bytes;
  size_t sent = 0, received = 0, taken = 0;
  while (taken < bytes || sent < bytes || received < bytes) {
    if (taken < bytes) {
      read_there(window, WINDOW, start + 2 * taken);
      interleave(0, block, mine + (size_t)me * bytes + taken, half + taken);
      taken += WINDOW / 2;
    }
    exchange(half, taken, &sent, in, bytes, &received);
  }
}

/* A socket between the two. */
static void connect_ranks(void) {
  struct {
    char host[256];
    struct sockaddr_in address;
  } first = {"", {0}};
  const int one = 1;
  int listening = -1;
  if (me == 0) {
    socklen_t size = sizeof first.address;
    first.address.sin_family = AF_INET;
    listening = socket(AF_INET, SOCK_STREAM, 0);
    if (listening < 0 || bind(listening, (struct sockaddr*)&first.address, size) != 0 || listen(listening, 1) != 0 ||
        getsockname(listening, (struct sockaddr*)&first.address, &size) != 0 ||
        gethostname(first.host, sizeof first.host - 1) != 0)
      give_up("a socket");
  }
  MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (me == 0) {
    peer = accept(listening, NULL, NULL);
    close(listening);
  } else {
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(first.host, NULL, &hints, &found) != 0) give_up(first.host);
    first.address.sin_addr = ((struct sockaddr_in*)found->ai_addr)->sin_addr;
    freeaddrinfo(found);
    peer = socket(AF_INET, SOCK_STREAM, 0);
    if (peer < 0 || connect(peer, (struct sockaddr*)&first.address, sizeof first.address) != 0) give_up("connect");
  }
  if (peer < 0) give_up("accept");
  setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* ---- Measuring ---- */

typedef struct {
  const char *name, *way;
  void (*move)(size_t block);
  size_t smallest, largest; /* blocks */
} Way;

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void report(const Way* way, size_t block, double value, double best) {
  if (result_count != 0 && results[result_count - 1].size == block &&
      strcmp(results[result_count - 1].name, way->name) == 0) {
    if (results[result_count - 1].value >= value) return;
    result_count--;
  }
  results[result_count].name = way->name;
  results[result_count].way = way->way;
  results[result_count].size = block;
  results[result_count].best = best;
  results[result_count++].value = value;
}

/* What is at a place of the file in turn `i`, written by the rank whose block it is in. */
static char byte_at(size_t at, size_t block, int i) { return (char)('a' + (int)(at / block % (size_t)ranks) % 16 + i); }

/* This rank's share of the file, from the first byte on: makes it, or checks it. In large calls: what the file's pages
 * in memory are like depends on the call that makes them. */
static void share(int make, size_t block, int i) {
  const size_t start = (size_t)me * each;
  if (!make) read_there(whole, each, start);
  for (size_t k = 0; k < each; k++) {
    if (make) whole[k] = byte_at(start + k, block, i);
    if (whole[k] != byte_at(start + k, block, i)) give_up("what was written is not there");
  }
  if (make) write_there(whole, each, start);
}

static void measure(const Way* way, size_t block) {
  const int writes = strcmp(way->name, "write") == 0;
  double* took = calloc((size_t)rounds, sizeof(double));
  if (took == NULL) give_up("calloc");
  if (me == 0 && ftruncate(file, 0) != 0) give_up("ftruncate");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = -1; i < rounds; i++) { /* one more, which makes the file */
    memset(mine, writes ? 'a' + me % 16 + i : 0, each);
    if (!writes) {
      share(1, block, i);
      if (disk && fsync(file) != 0) give_up("fsync");
      forget();
    }
    const double start = moment();
    way->move(block);
    if (writes && disk && fsync(file) != 0) give_up("fsync");
    const double passed = since(start);
    if (i >= 0) took[i] = passed;
    if (writes) forget(); /* as the other programs, which read it then */
    if (writes) share(0, block, i);
    for (size_t k = 0; k < each; k++)
      if (mine[k] != (char)('a' + me % 16 + i)) give_up("what was read is not what was written");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  qsort(took, (size_t)rounds, sizeof(double), by_value);
  const double megabytes = (double)each * ranks / 1e6;
  report(way, block, megabytes / took[rounds / 2], megabytes / took[0]);
  free(took);
}

static void print_results(void) {
  FILE* out = json == NULL ? NULL : fopen(json, "w");
  if (json != NULL && out == NULL) give_up(json);
  if (out != NULL) fprintf(out, "{\"benchmark\":\"io\",\"ranks\":%d,\"results\":[", ranks);
  for (int i = 0; i < result_count; i++) {
    printf("%-14s %9zu %10.1f MB/s, at best %.1f: %s\n", results[i].name, results[i].size, results[i].value,
           results[i].best, results[i].way);
    if (out != NULL)
      fprintf(out,
              "%s{\"name\":\"%s\",\"size_bytes\":%zu,\"value\":%.17g,\"best\":%.17g,\"unit\":\"MB/s\",\"way\":\"%s\"}",
              i == 0 ? "" : ",", results[i].name, results[i].size, results[i].value, results[i].best, results[i].way);
  }
  if (out != NULL) fputs("]}\n", out);
  if (out != NULL && fclose(out) != 0) give_up(json);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!read_options(argc, argv, "posix-io.data", false)) {
    if (me == 0) fprintf(stderr, "usage: %s %s\n", argv[0], usage);
    MPI_Finalize();
    return 2;
  }
  mine = malloc(each);
  window = malloc(WINDOW);
  half = malloc(each / 2);
  whole = malloc(each);
  if (mine == NULL || window == NULL || half == NULL || whole == NULL) give_up("malloc");
  memset(half, 0, each / 2);
  if (me == 0) file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me != 0) file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) give_up(path);
  if (ranks == 2) connect_ranks();
  const size_t exchanged = ranks == 2 ? 64 << 10 : 0; /* the largest block for which that is tried */
  const Way ways[] = {{"write", "own blocks", write_own, 512, each},
                      {"write", "exchanged", write_half, 1, exchanged},
                      {"read", "own blocks", read_own, 512, each},
                      {"read", "through all", read_through, 1, 64 << 10},
                      {"read", "exchanged", read_half, 1, exchanged}};
  for (int i = 0; i < BLOCKS; i++) {
    if (only != 0 && only != blocks[i]) continue;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
      if (ways[k].smallest <= blocks[i] && blocks[i] <= ways[k].largest) measure(&ways[k], blocks[i]);
  }
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) (void)unlink(path);
  if (me == 0) print_results();
  MPI_Finalize();
  return 0;
}
