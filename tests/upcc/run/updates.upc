/* Updates of other threads' memory at any places: of one object by several of them, of many types, beside reads of
 * other objects; those whose value is used, or that meet another access, happen at once. The same over private arrays
 * says what is right. */
#include <upc_castable.h>
#include <upc_relaxed.h>

#include "../check.h"
#define N 2500
#define BINS 70
struct __attribute__((packed)) packed {
  char tag;
  int count;
  double sum;
};
struct body {
  double mass;
  float light;
  long hits;
  unsigned bits : 7;
};
enum color { RED, GREEN, BLUE };
shared [N] unsigned long words[N * THREADS];
shared [N] int numbers[N * THREADS];
shared int bins[BINS * THREADS];
shared double sums[BINS * THREADS];
shared [BINS] struct packed packs[BINS * THREADS];
shared [BINS] struct body bodies[BINS * THREADS];
shared [BINS] short shorts[BINS * THREADS];
shared [BINS] enum color colors[BINS * THREADS];
shared unsigned total;
static unsigned long pw[N];
static int pn[N], pbins[BINS];
static double psums[BINS];
static struct packed ppacks[BINS];
static struct body pbodies[BINS];
static short pshorts[BINS];
static enum color pcolors[BINS];

static unsigned place(unsigned i, unsigned n) { return i * 2654435761u % n; }

/* W, B, ...: where the arrays begin; all bodies are written once, for shared and for private memory. */
#define UPDATES(name, words, numbers, bins, sums, packs, bodies, shorts, colors, AT, CYCLIC)                          \
  static long name(int first, int first_bin, int n) {                                                                \
    long seen = 0;                                                                                                   \
    for (int i = 0; i < n; i++) words[AT(first, place(i, N))] ^= (unsigned long)i << 20;                              \
    for (int i = 0; i < n; i++) {                                                                                    \
      words[AT(first, place(i, N / 2))] += i;             /* several kinds on the same words: their order counts */  \
      words[AT(first, place(i, N / 3))] &= ~(1ul << i % 50);                                                         \
      words[AT(first, place(i, N / 3))] |= 1ul << i % 7;                                                              \
      if (i % 3 == 0) words[AT(first, i)]--;                                                                          \
    }                                                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      bins[CYCLIC(i * i % BINS)]++;                                                                                  \
      sums[CYCLIC(i % 13)] += numbers[AT(first, place(i, N))] * 0.3; /* beside reads of another array */              \
      for (int k = 0; k < i % 4; k++) bins[CYCLIC((i + k) % BINS)] -= k;                                              \
    }                                                                                                                \
    for (int i = 0; i < n; i++) bins[CYCLIC(bins[CYCLIC(i % BINS)] % BINS + (i & 0))] += 1; /* reads what it writes */ \
    for (int i = 0; i < n; i++) seen = seen * 3 % 1000003 + numbers[AT(first, place(i, N))]++; /* value used */ \
    for (int i = 0; i < n; i++) seen += ({ numbers[AT(first, place(i, 9))] -= 2; });                                  \
    for (int i = 0; i < n; i++) {                                                                                    \
      packs[AT(first_bin, place(i, BINS))].count += i;    /* not aligned */                                          \
      packs[AT(first_bin, place(i, BINS))].sum -= i / 4.0;                                                           \
      packs[AT(first_bin, place(i, BINS))].tag++;                                                                    \
    }                                                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      bodies[AT(first_bin, place(i, BINS))].mass += i / 3.0;                                                          \
      bodies[AT(first_bin, place(i, BINS))].light -= i / 8.0f;                                                        \
      bodies[AT(first_bin, place(i, BINS / 2))].light += i / 3.0; /* computed as double */                            \
      bodies[AT(first_bin, place(i, BINS / 2))].hits += 2.5;      /* the same */                                     \
      bodies[AT(first_bin, place(i, BINS))].bits++;                                                                  \
      bodies[AT(first_bin, place(i, BINS))].hits -= i;                                                                \
    }                                                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      shorts[AT(first_bin, place(i, BINS))] += i;                                                                     \
      colors[AT(first_bin, place(i, BINS))] ^= BLUE;                                                                  \
    }                                                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      if (i == n - 5) break;                                                                                         \
      bins[CYCLIC(place(i, BINS))] += 3;                                                                             \
    }                                                                                                                \
    return seen;                                                                                                     \
  }
#define FROM(first, i) ((first) + (i))
#define SAME(first, i) (i)
#define CYCLIC_OF_NEXT(i) ((i) * THREADS + (MYTHREAD + 1) % THREADS)
#define ALONE(i) (i)
UPDATES(shared_updates, words, numbers, bins, sums, packs, bodies, shorts, colors, FROM, CYCLIC_OF_NEXT)
UPDATES(private_updates, pw, pn, pbins, psums, ppacks, pbodies, pshorts, pcolors, SAME, ALONE)

/* p and q may be one array. */
static void add_through(shared [] int *p, shared [] int *q, int n) {
  for (int i = 0; i < n; i++) {
    p[place(i, N)] += i;
    q[place(i, 100)] -= 1;
  }
  for (int i = 0; i < n; i++) p[place(i, N)] += q[place(i, 100)] % 5;
}

/* The thread's own row. A subscript outside of it counts on to the rows of others. */
#define LENGTH 50
shared [LENGTH] int rows[2 * THREADS][LENGTH];
shared [LENGTH] double totals[2 * THREADS][LENGTH];
shared [2 * LENGTH] int halves[2 * THREADS][LENGTH]; /* row MYTHREAD is of thread MYTHREAD / 2 */

static void own_rows(void) {
  static int expected[3 * LENGTH];
  for (int turn = 0; turn < THREADS; turn++) {
    upc_barrier;
    if (turn != MYTHREAD) continue;
    const int lowest = MYTHREAD == 0 ? 0 : -LENGTH;
    for (int k = 0; k < 3 * LENGTH; k++) expected[k] = 0;
    for (int k = lowest; k < 2 * LENGTH; k++) rows[MYTHREAD][k] = totals[MYTHREAD][k] = halves[MYTHREAD][k] = 0;
    for (int i = 0; i < N; i++) {
      const int k = place(i, 2 * LENGTH - lowest) + lowest;
      rows[MYTHREAD][k] += i;
      totals[MYTHREAD][k] -= i;
      halves[MYTHREAD][k] ^= i;
    }
    for (int i = 0; i < N; i++) expected[place(i, 2 * LENGTH - lowest)] += i;
    for (int k = lowest; k < 2 * LENGTH; k++) {
      CHECK_EQUAL(rows[MYTHREAD][k], expected[k - lowest]);
      CHECK(totals[MYTHREAD][k] == -expected[k - lowest]);
    }
    for (int k = 0; k < 3 * LENGTH; k++) expected[k] = 0;
    for (int i = 0; i < N; i++) expected[place(i, 2 * LENGTH - lowest)] ^= i;
    for (int k = lowest; k < 2 * LENGTH; k++) CHECK_EQUAL(halves[MYTHREAD][k], expected[k - lowest]);
  }
}

int main(void) {
  own_rows();
  upc_barrier;
  const int next = (MYTHREAD + 1) % THREADS;
  for (int i = 0; i < N; i++) pn[i] = numbers[MYTHREAD * N + i] = i % 11;
  for (int i = 0; i < BINS; i++) pbins[i] = bins[i * THREADS + MYTHREAD] = 5 * N;
  upc_barrier;
  for (int n = N; n > 5; n /= 3) {
    const long seen = shared_updates(next * N, next * BINS, n);
    CHECK_EQUAL(seen, private_updates(next * N, next * BINS, n));
  }
  upc_barrier;
  for (int i = 0; i < N; i++) {
    CHECK_EQUAL(words[MYTHREAD * N + i], pw[i]);
    CHECK_EQUAL(numbers[MYTHREAD * N + i], pn[i]);
  }
  for (int i = 0; i < BINS; i++) {
    CHECK_EQUAL(bins[i * THREADS + MYTHREAD], pbins[i]);
    CHECK(sums[i * THREADS + MYTHREAD] == psums[i]);
    CHECK_EQUAL(packs[MYTHREAD * BINS + i].count, ppacks[i].count);
    CHECK(packs[MYTHREAD * BINS + i].sum == ppacks[i].sum);
    CHECK_EQUAL(packs[MYTHREAD * BINS + i].tag, ppacks[i].tag);
    CHECK(bodies[MYTHREAD * BINS + i].mass == pbodies[i].mass);
    CHECK(bodies[MYTHREAD * BINS + i].light == pbodies[i].light);
    CHECK_EQUAL(bodies[MYTHREAD * BINS + i].hits, pbodies[i].hits);
    CHECK_EQUAL(bodies[MYTHREAD * BINS + i].bits, pbodies[i].bits);
    CHECK_EQUAL(shorts[MYTHREAD * BINS + i], pshorts[i]);
    CHECK_EQUAL(colors[MYTHREAD * BINS + i], pcolors[i]);
  }
  upc_barrier;

  add_through((shared [] int *)&numbers[next * N], (shared [] int *)&numbers[next * N], N);
  for (int i = 0; i < N; i++) pn[place(i, N)] += i, pn[place(i, 100)] -= 1;
  for (int i = 0; i < N; i++) pn[place(i, N)] += pn[place(i, 100)] % 5;
  upc_barrier;
  for (int i = 0; i < N; i++) CHECK_EQUAL(numbers[MYTHREAD * N + i], pn[i]);

  upc_barrier;
  /* Through a private pointer, where the memory is mapped, all is seen at once. */
  const int *seen = upc_cast((shared void *)&numbers[next * N]);
  for (int i = 0; seen && i < N; i++) {
    const int before = seen[place(i, N)];
    numbers[next * N + place(i, N)] += i;
    CHECK_EQUAL(seen[place(i, N)], before + i);
  }
  upc_barrier;

  /* Updates of other threads' memory are atomic among themselves, thread 0's own ones are not. */
  if (MYTHREAD > 0)
    for (int i = 0; i < 3000; i++) total += i % 3 ? 1 : 2;
  upc_barrier;
  if (THREADS == 2) CHECK_EQUAL(total, 4000u);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
