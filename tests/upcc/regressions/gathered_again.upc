/* Elements that a loop has read before at the same places are those that are there now, after writes of this thread and
 * behind a barrier of others; elements across two pages; places in this thread's own memory that the loop writes; more
 * memory than is kept; and a loop that gathers until another thread has written ends. Also with WEFT_MAP_PEERS=0. */
#include "../check.h"
#define N 900
#define PASSES 60
struct triple {
  long a, b, c;
};
shared long x[N * THREADS];
shared [N] long blocked[N * THREADS];
shared struct triple triples[N * THREADS];
shared long large[200000 * THREADS];
static int places[N], far[N];

static long sum_of_x(void) {
  long sum = 0;
  for (int k = 0; k < N; k++) sum += x[places[k]];
  return sum;
}

int main(void) {
  for (int k = 0; k < N; k++) places[k] = k * 7 % (N * THREADS), far[k] = (int)(k * 48271L % (200000L * THREADS));
  for (int round = 1; round <= 3; round++) {
    upc_forall (int i = 0; i < N * THREADS; i++; &x[i]) x[i] = i * round;
    upc_forall (int i = 0; i < N * THREADS; i++; &blocked[i]) blocked[i] = i;
    upc_forall (int i = 0; i < N * THREADS; i++; &triples[i]) triples[i] = (struct triple){i, i * round, -i};
    upc_forall (int i = 0; i < 200000 * THREADS; i++; &large[i]) large[i] = i + round;
    upc_barrier;
    long expected = 0, triple_sum = 0;
    for (int k = 0; k < N; k++) expected += (long)places[k] * round;
    for (int pass = 0; pass < PASSES; pass++) CHECK_EQUAL(sum_of_x(), expected);
    for (int pass = 0; pass < PASSES; pass++)
      for (int k = 0; k < N; k++) {
        const struct triple t = triples[places[k]];
        triple_sum += t.a * round - t.b + t.a + t.c;
      }
    CHECK_EQUAL(triple_sum, 0);
    upc_barrier;
    /* a write in between, of one thread at a time; then of all */
    if (round % THREADS == MYTHREAD)
      for (int k = 0; k < 50; k++) {
        CHECK_EQUAL(sum_of_x(), expected + k);
        x[places[k * 3]] += 1;
      }
    upc_barrier;
    CHECK_EQUAL(sum_of_x(), expected + 50);
    for (int k = 0; k < N; k++) CHECK_EQUAL(large[far[k]], far[k] + round);
    for (int pass = 0; pass < 3; pass++) {
      long sum = 0;
      for (int k = 0; k < N; k++) sum += large[far[k]] - far[k];
      CHECK_EQUAL(sum, (long)N * round);
      CHECK_EQUAL(sum_of_x(), expected + 50);
    }
    /* this thread's own elements, written where they are gathered */
    upc_barrier;
    long own = 0;
    upc_forall (int i = 0; i < N * THREADS; i++; &blocked[i]) {
      blocked[i] = i + 1;
      own += blocked[i - i % N + places[i % N] % (i % N + 1)];
    }
    long own_expected = 0;
    for (int k = 0; k < N; k++) own_expected += MYTHREAD * N + places[k] % (k + 1) + 1;
    CHECK_EQUAL(own, own_expected);
    upc_barrier;
  }
  /* waits for thread 0, which writes without a word */
  if (MYTHREAD == 0) {
    for (volatile int k = 0; k < 20000000; k++)
      ;
    x[0] = -1000000000;
  } else {
    long sum;
    do {
      sum = 0;
      for (int k = 0; k < N; k++) sum += x[places[k]];
    } while (sum > 0);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
