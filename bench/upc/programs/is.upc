/* The integer sort of examples/upc/is.upc beside a version by hand: keys are counted in private memory, and each thread
 * puts the counts of another one's values straight to it. */
#include <upc_nb.h>

#include "../hosts/measure.h"
#include "parts.h"
#include "sizes.h"

#define main example_main
#include "../../../examples/upc/is.upc"
#undef main

static shared void *inboxes; /* of each thread: what every thread has counted of its values */
static int *own_count;       /* of all values */
static int most_values;      /* that a thread has */

static void prepare_hand(void) {
  most_values = VALUES / THREADS + 1;
  inboxes = upc_all_alloc((size_t)THREADS, (size_t)THREADS * (size_t)most_values * sizeof(int));
  own_count = npb_memory(VALUES * sizeof *own_count);
}

static void rank_keys_hand(void) {
  memset(own_count, 0, VALUES * sizeof *own_count);
  for (int i = 0; i < key_count; i++) own_count[keys[i]]++;
  for (int t = 0; t < THREADS; t++) {
    const size_t bytes = (size_t)(part(VALUES, t + 1) - part(VALUES, t)) * sizeof(int);
    upc_memput_nbi(PART(int, inboxes, t) + MYTHREAD * most_values, own_count + part(VALUES, t), bytes);
  }
  upc_synci();
  upc_barrier;
  const int values = end_value - first_value, *inbox = (const int *)PART(int, inboxes, MYTHREAD);
  int sum = 0;
  memset(smaller, 0, (size_t)values * sizeof *smaller);
  for (int t = 0; t < THREADS; t++)
    for (int k = 0; k < values; k++) smaller[k] += inbox[t * most_values + k];
  for (int k = 0; k < values; k++) sum += smaller[k];
  int before = bupc_allv_prefix_reduce(int, sum, UPC_ADD) - sum;
  for (int k = 0; k < values; k++) {
    const int equal = smaller[k];
    smaller[k] = before;
    before += equal;
  }
}

static int iterate_hand(void) {
  int wrong = 0;
  for (int iteration = 1; iteration <= NPB_IS_ITERATIONS; iteration++) {
    npb_is_change(keys, first_key, key_count, VALUES, iteration);
    for (int k = 0; k < NPB_IS_TESTS; k++) {
      const int i = PROBLEM.index[k] - first_key;
      if (i >= 0 && i < key_count) tested[k] = keys[i];
    }
    rank_keys_hand();
    wrong += wrong_ranks(iteration);
    upc_barrier; /* inboxes and tests may change */
  }
  return wrong;
}

static void naive(void) { bench_wrong |= iterate() != 0; }
static void hand(void) { bench_wrong |= iterate_hand() != 0; }
static void prepare_keys(void) {
  npb_is_keys(keys, first_key, key_count, VALUES);
  memset(smaller, 0, (size_t)(end_value - first_value) * sizeof *smaller);
}

int main(int argc, char **argv) {
  bench_start(argc, argv);
  prepare();
  prepare_hand();
  bench_kernel((kernel){"is_" NPB_NAME_OF(CLASS), IS_ELEMENTS(KEYS, THREADS), 1, 1, naive, hand, smaller,
                        (size_t)VALUES / (size_t)THREADS / 2},
               prepare_keys);
  return bench_finish_hosts();
}
