/* What programs written for other compilers rely on: names without their header, and declarations that the
 * specification forbids or leaves to the implementation. */
extern upc_atomicdomain_t *domain;
upc_lock_t *early_lock;
upc_handle_t early_handle;

#define BUPC_USE_UPC_NAMESPACE
#include <upc.h>
#include <string.h>
#include "../check.h"
#include <bupc_collectivev.h>
#include <upc_atomic.h>
#include <upc_nb.h>

#if BUPC_COLLECTIVEV_VERSION_MAJOR < 1 || !defined(BUPC_COLLECTIVEV_VERSION_MINOR)
#error "versions of bupc_collectivev.h"
#endif

#ifdef __UPC_STATIC_THREADS__
#if THREADS + 0 == 0
#error "THREADS in #if"
#endif
#endif

/* Several factors beside THREADS, as macros make them. */
#define ROWS (24 * THREADS)
shared int several[2 * ROWS];
shared [2] int factors[3 * THREADS * 2][5];

/* Block sizes said twice. */
typedef shared [4] int by_four;
shared [4] int shared [4] twice[4 * THREADS];
shared [4] by_four through_typedef[4 * THREADS];
shared [] shared [0] int indefinite[3];

/* Arrays that become shared by their declaration. */
typedef int grid[10][THREADS];
typedef grid renamed;
typedef struct {
  int a, b;
} pair;
typedef pair pairs[THREADS * 2], one_pair;
shared grid cells;
shared [5] renamed blocked_cells;
shared pairs two_each;

struct timeval of_sys_types; /* <upc.h> brings <sys/types.h> */

static void sizes(void) {
  CHECK_EQUAL(sizeof(several), 48 * THREADS * sizeof(int));
  CHECK_EQUAL(sizeof(factors), 30 * THREADS * sizeof(int));
  CHECK_EQUAL(upc_blocksizeof(twice), 4);
  CHECK_EQUAL(upc_blocksizeof(through_typedef), 4);
  CHECK_EQUAL(upc_blocksizeof(indefinite), 0);
  CHECK_EQUAL(sizeof(cells), 10 * THREADS * sizeof(int));
  CHECK_EQUAL(sizeof(cells[0]), THREADS * sizeof(int));
  CHECK_EQUAL(upc_blocksizeof(blocked_cells), 5);
  CHECK_EQUAL(sizeof(two_each), 2 * THREADS * sizeof(one_pair));
}

static void elements(void) {
  shared grid *whole = &cells;
  for (int i = 0; i < 10; ++i) upc_forall (int j = 0; j < THREADS; ++j; &cells[i][j]) cells[i][j] = 10 * i + j;
  two_each[THREADS + MYTHREAD].b = MYTHREAD;
  several[47 * THREADS + MYTHREAD] = MYTHREAD;
  upc_barrier;
  for (int j = 0; j < THREADS; ++j) {
    CHECK_EQUAL((*whole)[9][j], 90 + j);
    CHECK_EQUAL(two_each[THREADS + j].b, j);
    CHECK_EQUAL(several[47 * THREADS + j], j);
  }
}

static int first(shared int *restrict to, shared [] const int *restrict from, int n,
                 shared int *restrict all[restrict n]) {
  *to = *from;
  return *all[0];
}

static void restricted(void) {
  struct {
    shared int *restrict p;
  } holder = {&several[MYTHREAD]};
  shared int *restrict all[1] = {holder.p};
  indefinite[1] = 5;
  upc_barrier;
  CHECK_EQUAL(first(holder.p, &indefinite[1], 1, all), 5);
}

static int forall_of(int forall) { return forall; }

// `forall` of early UPC, where nothing else has the name.
static void old_forall(void) {
  forall (int i = 0; i < THREADS; i++; &several[i]) several[i] = ({ const int doubled = 2 * (i + 1); doubled; });
  for (int pass = 0; pass < 2; pass++)
    forall(int i = 0; i < THREADS; i++; continue) several[MYTHREAD] += i == 0;
  upc_barrier;
  for (int j = 0; j < THREADS; ++j) CHECK_EQUAL(several[j], 2 * (j + 1) + 2);
  upc_barrier;
  int (*forall)(int) = forall_of;
  CHECK_EQUAL(forall(3), 3);
}

static void names(void) {
  char text[BUPC_DUMP_MIN_LENGTH];
  shared int *mine = upc_local_alloc(2, sizeof(int));
  CHECK_EQUAL(upc_threadof(mine), MYTHREAD);
  upc_poll();
  bupc_poll();
  CHECK_EQUAL(bupc_dump_shared(mine, text, sizeof text), 0);
  bupc_trace_printf(("%d", 1));
  upc_waitsync(upc_memset_async(mine, 0, sizeof(int)));
  CHECK_EQUAL(upc_atomicI32_fetchadd_relaxed(mine, 3), 0);
  CHECK_EQUAL(upc_thread_distance(MYTHREAD, MYTHREAD), UPC_THREADS_SAME);
  CHECK_EQUAL(upc_dump_shared(mine, text, UPC_DUMP_MIN_LENGTH - 1), -1);
  early_handle = UPC_COMPLETE_HANDLE;
  upc_sync(early_handle);
  upc_free(mine);
  CHECK_EQUAL(MAX(MIN(1, 2), 0), 1);
}

/* Who gives no destination gets no values. */
static void gathered(void) {
  int got[THREADS];
  for (int i = 0; i < THREADS; ++i) got[i] = -1;
  bupc_allv_gather_all(int, MYTHREAD, MYTHREAD % 2 == 0 ? got : NULL);
  for (int i = 0; i < THREADS; ++i) CHECK_EQUAL(got[i], MYTHREAD % 2 == 0 ? i : -1);
}

/* Structures are copied whole: programs compare them with memcmp. */
struct with_padding {
  char c;
  double d;
  short s;
};
shared struct with_padding padded[2 * THREADS];
strict shared struct with_padding strictly[THREADS];
static struct with_padding pattern;
__attribute__((noinline)) static void copy(struct with_padding *to, int i) { *to = padded[i]; }
static int same(const struct with_padding *a) { return memcmp(a, &pattern, sizeof pattern) == 0; }

static void padding(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  struct with_padding a, b, c, d, e;
  shared struct with_padding *p = &padded[next];
  memset(&pattern, 0x5a, sizeof pattern);
  pattern.c = 1;
  pattern.d = 2;
  pattern.s = 3;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  upc_memput(&padded[MYTHREAD], &pattern, sizeof pattern);
  upc_memput(&strictly[MYTHREAD], &pattern, sizeof pattern);
  upc_barrier;
  copy(&a, next);
  b = *p;
  c = padded[next];
  d = strictly[next];
  padded[THREADS + MYTHREAD] = padded[next];
  upc_memget(&e, &padded[THREADS + MYTHREAD], sizeof e);
  CHECK(same(&a) && same(&b) && same(&c) && same(&d) && same(&e));
}

/* Whose an iteration of a loop over a cyclic array is, for steps that do and do not divide the number of threads. */
shared int cyclic[200 * THREADS];
#define STEPS(step, index)                                                                        \
  do {                                                                                            \
    int hits = 0, mine = 0;                                                                       \
    upc_forall (int i = 3; i < 60; i += step; &cyclic[index]) {                                   \
      CHECK_EQUAL(upc_threadof(&cyclic[index]), MYTHREAD);                                        \
      ++hits;                                                                                     \
    }                                                                                             \
    for (int i = 3; i < 60; i += step) mine += upc_threadof(&cyclic[index]) == (size_t)MYTHREAD;  \
    CHECK_EQUAL(hits, mine);                                                                      \
  } while (0)

static void steps(void) {
  STEPS(2, i);
  STEPS(3, i);
  STEPS(4, 3 * i);
  STEPS(6, i + 1);
  STEPS(1, 199 - 3 * i);
  STEPS(5, 199 - 2 * i);
}

int main(void) {
  RUN(sizes);
  RUN(elements);
  RUN(restricted);
  RUN(old_forall);
  RUN(names);
  RUN(gathered);
  RUN(padding);
  RUN(steps);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
