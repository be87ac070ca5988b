/* Measuring one kernel: the obvious program and the one by hand, in turns. A turn prepares the data, lets all threads
 * begin at one moment of the clock, which the hosts of a lab share, and ends when the last of them is done; the fastest
 * turn counts. What each turn leaves is compared. --quick: one turn. */
#ifndef WEFT_BENCH_UPC_HOSTS_MEASURE_H
#define WEFT_BENCH_UPC_HOSTS_MEASURE_H
#include <bupc.h>

#include "../bench.h"
#include "problem.h"

enum { MAPPED_CALLS = 16 };
#define BUDGET_S 0.25
#define HEAD_START_S 150e-6 /* within which all threads have heard of the moment */

typedef struct kernel {
  const char *name;
  size_t elements; /* that one thread handles in a call */
  int everyone;    /* all threads call it; else WORKER does and the others wait */
  int calls;       /* in one timing; 0: one, or MAPPED_CALLS where memory is mapped and a call takes little */
  void (*naive)(void), (*hand)(void);
  const void *result; /* this thread's part of what the kernel computes */
  size_t words;
  void (*finish)(void); /* after a turn, if not NULL: makes the result, not timed */
} kernel;

static int bench_wrong;

static void bench_start_hosts(int argc, char **argv) {
  bench_start(argc, argv);
  if (THREADS == RANKS) return;
  if (MYTHREAD == 0) fprintf(stderr, "%s: %d threads; this program takes %d\n", argv[0], THREADS, RANKS);
  upc_barrier;
  exit(2);
}

/* A moment that has not yet come when all threads know it. */
static double common_moment(void) {
  static shared double moment;
  if (MYTHREAD == 0) moment = bench_seconds() + HEAD_START_S;
  upc_barrier;
  const double start = moment;
  while (bench_seconds() < start) bupc_poll();
  return start;
}

/* Nanoseconds per element of one turn. */
static double turn(const kernel *k, void (*prepare)(void), void (*volatile version)(void), int calls,
                   unsigned long *checksum) {
  prepare();
  const double start = common_moment();
  if (k->everyone || MYTHREAD == WORKER)
    for (int i = 0; i < calls; i++) version();
  upc_fence;
  const double own_end = bench_seconds();
  const double end = bupc_allv_reduce_all(double, own_end, UPC_MAX);
  if (k->finish != NULL) k->finish();
  const unsigned long own_sum = checksum_of(k->result, k->words, (size_t)MYTHREAD * k->words);
  *checksum = bupc_allv_reduce_all(unsigned long, own_sum, UPC_ADD) & CHECKSUM_BITS;
  return 1e9 * (end - start) / (double)calls / (double)k->elements;
}

static void bench_kernel(kernel k, void (*prepare)(void)) {
  unsigned long checksum, naive_sum, hand_sum;
  turn(&k, prepare, k.hand, 1, &checksum);
  turn(&k, prepare, k.naive, 1, &naive_sum);
  int wrong = checksum != naive_sum;
  const int calls = k.calls != 0 ? k.calls : bupc_thread_castable(OWNER + WORKER - MYTHREAD) ? MAPPED_CALLS : 1;
  double naive = 1e30, hand = 1e30;
  for (int i = 0, turns = 1; i < turns; i++) {
    const double begun = bench_seconds();
    const double naive_now = turn(&k, prepare, k.naive, calls, &naive_sum);
    const double hand_now = turn(&k, prepare, k.hand, calls, &hand_sum);
    wrong |= naive_sum != hand_sum;
    if (naive_now < naive) naive = naive_now;
    if (hand_now < hand) hand = hand_now;
    if (i > 0 || bench_quick) continue;
    if (MYTHREAD == 0) {
      const double fit = BUDGET_S / (bench_seconds() - begun);
      bench_turns = fit < 5 ? 5 : fit > 300 ? 300 : (int)fit;
    }
    upc_barrier;
    turns = bench_turns;
  }
  bench_wrong |= wrong;
  if (MYTHREAD != 0) return;
  bench_add(k.name, k.elements * sizeof(double), naive, hand, "ns", checksum);
  printf("%-24s %6zu elements   naive %10.2f ns   by hand %10.2f ns   ratio %8.2f\n", k.name, k.elements, naive, hand,
         naive / hand);
  if (wrong) fprintf(stderr, "%s: wrong: the naive version and the one by hand leave different results\n", k.name);
}

static int bench_finish_hosts(void) {
  const int failed = bench_finish("upc_hosts");
  return bench_wrong ? 1 : failed;
}
#endif
