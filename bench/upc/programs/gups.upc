/* Random updates of examples/upc/gups.upc beside a version by hand: a thread sorts its updates by owner and puts them
 * there, many at a time; the owner carries them out. */
#include <upc_nb.h>

#include "../hosts/measure.h"
#include "parts.h"
#include "sizes.h"

#define main example_main
#include "../../../examples/upc/gups.upc"
#undef main

enum { CHUNK = 8192 }; /* updates of a thread between two exchanges */
typedef struct list {
  long count;
  unsigned long values[CHUNK];
} list;
static shared void *inboxes; /* of each thread: a list of every thread's */
static list *outboxes;       /* one for each thread */
static unsigned long expected[WORDS_PER_THREAD];
static long outcome[1];

static unsigned long first_number(int thread) { return 88172645463325252UL + (unsigned long)thread; }
static unsigned long number_after(unsigned long x) {
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return x;
}
static unsigned long word_of(unsigned long number) { return number % (unsigned long)(WORDS_PER_THREAD * THREADS); }

static void prepare_once(void) {
  inboxes = upc_all_alloc((size_t)THREADS, (size_t)THREADS * sizeof(list));
  outboxes = malloc((size_t)THREADS * sizeof *outboxes);
  if (outboxes == NULL) upc_global_exit(1);
  for (long i = 0; i < WORDS_PER_THREAD; i++) expected[i] = (unsigned long)(i * THREADS + MYTHREAD);
  for (int t = 0; t < THREADS; t++) {
    unsigned long number = first_number(t);
    for (long k = 0; k < UPDATES; k++) {
      number = number_after(number);
      if ((int)(word_of(number) % (unsigned long)THREADS) == MYTHREAD)
        expected[word_of(number) / (unsigned long)THREADS] ^= number;
    }
  }
}

static void prepare(void) {
  upc_forall (long i = 0; i < WORDS_PER_THREAD * THREADS; i++; &table[i]) table[i] = (unsigned long)i;
}

static void send_list(int owner) {
  shared [] list *to = PART(list, inboxes, owner) + MYTHREAD;
  upc_memput_nbi(to, &outboxes[owner], sizeof(long) + (size_t)outboxes[owner].count * sizeof(unsigned long));
}

static void carry_out(unsigned long *own, const list *updates) {
  for (long k = 0; k < updates->count; k++)
    own[word_of(updates->values[k]) / (unsigned long)THREADS] ^= updates->values[k];
}

static void run_hand(void) {
  unsigned long number = first_number(MYTHREAD), *own = (unsigned long *)&table[MYTHREAD];
  for (long done = 0; done < UPDATES; done += CHUNK) {
    for (int t = 0; t < THREADS; t++) outboxes[t].count = 0;
    for (long k = done; k < done + CHUNK && k < UPDATES; k++) {
      number = number_after(number);
      list *out = &outboxes[word_of(number) % (unsigned long)THREADS];
      out->values[out->count++] = number;
    }
    for (int i = 1; i < THREADS; i++) send_list((MYTHREAD + i) % THREADS);
    upc_synci();
    upc_barrier;
    for (int t = 0; t < THREADS; t++)
      carry_out(own, t == MYTHREAD ? &outboxes[t] : (const list *)(PART(list, inboxes, MYTHREAD) + t));
    upc_barrier; /* inboxes may be written again */
  }
}

/* Threads that update one word at the same moment may spoil it, of one in a hundred. */
static void look(void) {
  const unsigned long *own = (const unsigned long *)&table[MYTHREAD];
  long wrong = 0;
  for (long i = 0; i < WORDS_PER_THREAD; i++) wrong += own[i] != expected[i];
  outcome[0] = wrong * 100 <= WORDS_PER_THREAD;
  bench_wrong |= !outcome[0];
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  prepare_once();
  bench_kernel((kernel){"gups", UPDATES, 1, 1, run, run_hand, outcome, 1, look}, prepare);
  return bench_finish_hosts();
}
