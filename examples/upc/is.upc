/* Integer sort, the NAS benchmark IS: how many keys are smaller than each value, by counting. Each thread counts its
 * keys in its own row of `count`, then adds up what all threads have counted of its share of the values. Written the
 * obvious way: everybody reads count[t][value] wherever it lies. At the end the ranks put the keys in order. */
#include <stdio.h>
#include <upc.h>

#include "npb.h"

enum { KEYS = NPB_OF_CLASS(NPB_IS_KEYS_, CLASS), VALUES = NPB_OF_CLASS(NPB_IS_VALUES_, CLASS) };
#define PROBLEM NPB_OF_CLASS(npb_is_, CLASS)

shared [VALUES] int count[THREADS][VALUES];
shared int counted[THREADS];        /* of all of a thread's values */
shared [] int tested[NPB_IS_TESTS]; /* the keys whose ranks are known; on thread 0 */
static int *keys, *smaller;         /* the thread's own; how many keys are smaller than each of its values */
static int first_key, key_count, first_value, end_value;

static int part(int all, int thread) { return (int)((long)all * thread / THREADS); }

static void prepare(void) {
  first_key = part(KEYS, MYTHREAD);
  key_count = part(KEYS, MYTHREAD + 1) - first_key;
  first_value = part(VALUES, MYTHREAD);
  end_value = part(VALUES, MYTHREAD + 1);
  keys = npb_memory((size_t)key_count * sizeof *keys);
  smaller = npb_memory((size_t)(end_value - first_value) * sizeof *smaller);
  npb_is_keys(keys, first_key, key_count, VALUES);
}

static void rank_keys(void) {
  for (int value = 0; value < VALUES; value++) count[MYTHREAD][value] = 0;
  for (int i = 0; i < key_count; i++) count[MYTHREAD][keys[i]]++;
  upc_barrier;
  const int values = end_value - first_value;
  int before = 0, sum = 0;
  for (int k = 0; k < values; k++) smaller[k] = 0;
  for (int t = 0; t < THREADS; t++)
    for (int k = 0; k < values; k++) smaller[k] += count[t][first_value + k];
  for (int k = 0; k < values; k++) sum += smaller[k];
  counted[MYTHREAD] = sum;
  upc_barrier;
  for (int t = 0; t < MYTHREAD; t++) before += counted[t];
  for (int k = 0; k < values; k++) {
    const int equal = smaller[k];
    smaller[k] = before;
    before += equal;
  }
}

/* How many of the known ranks this thread has computed otherwise. */
static int wrong_ranks(int iteration) {
  int wrong = 0;
  for (int k = 0; k < NPB_IS_TESTS; k++) {
    const int value = tested[k];
    if (value >= first_value && value < end_value)
      wrong += smaller[value - first_value] != PROBLEM.rank[k] + PROBLEM.step[k] * iteration;
  }
  return wrong;
}

static int iterate(void) {
  int wrong = 0;
  for (int iteration = 1; iteration <= NPB_IS_ITERATIONS; iteration++) {
    npb_is_change(keys, first_key, key_count, VALUES, iteration);
    for (int k = 0; k < NPB_IS_TESTS; k++) {
      const int i = PROBLEM.index[k] - first_key;
      if (i >= 0 && i < key_count) tested[k] = keys[i];
    }
    rank_keys();
    wrong += wrong_ranks(iteration);
    upc_barrier; /* counts and tests may change */
  }
  return wrong;
}

/* Puts the keys in order, and looks. count[t][value] becomes the place of thread t's next key of this value. */
static int wrong_places(void) {
  shared int *sorted = upc_all_alloc(KEYS, sizeof *sorted);
  for (int value = first_value; value < end_value; value++) {
    int place = smaller[value - first_value];
    for (int t = 0; t < THREADS; t++) {
      const int equal = count[t][value];
      count[t][value] = place;
      place += equal;
    }
  }
  upc_barrier;
  for (int i = 0; i < key_count; i++) sorted[count[MYTHREAD][keys[i]]++] = keys[i];
  upc_barrier;
  int wrong = 0;
  upc_forall (int i = 1; i < KEYS; i++; &sorted[i]) wrong += sorted[i - 1] > sorted[i];
  upc_barrier;
  if (MYTHREAD == 0) upc_free(sorted);
  return wrong;
}

int main(void) {
  prepare();
  int wrong = iterate();
  wrong += wrong_places();
  wrong = bupc_allv_reduce_all(int, wrong, UPC_ADD);
  if (MYTHREAD == 0) printf("%d keys in order: %s\n", KEYS, wrong == 0 ? "ok" : "wrong");
  return 0;
}
