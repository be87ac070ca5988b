/* Litmus tests of UPC's memory model (UPC 1.3 5.1.2.3 and appendix B; docs/UPC-RUNTIME.md says what Weft adds).
 *
 *   main SEED BATCHES NANOSECONDS [WORD]
 *
 * runs BATCHES times BATCH instances of each test (that has WORD in its name), one every so many nanoseconds, and prints
 * how often each had the outcome that it is about. Returns 1 if one had an outcome that is forbidden. Tests whose names
 * have `kept`, and those with fence, lock, barrier and notify, read locations before, so that the run time may keep them. */
#include "litmus.h"

#define NO_WARM(l) (void)0
#define DO_WARM(l) (void)(l)

#define NAME(f) relaxed_##f
#define X x_relaxed[place[0][i]]
#define Y y_relaxed[place[1][i]]
#define ENTER (void)0
#define MIDDLE wobble()
#define LEAVE (void)0
#define WARM NO_WARM
#include "shapes.h"

#define NAME(f) kept_##f
#define X x_relaxed[place[0][i]]
#define Y y_relaxed[place[1][i]]
#define ENTER (void)0
#define MIDDLE wobble()
#define LEAVE (void)0
#define WARM DO_WARM
#include "shapes.h"

#define NAME(f) fence_##f
#define X x_relaxed[place[0][i]]
#define Y y_relaxed[place[1][i]]
#define ENTER (void)0
#define MIDDLE upc_fence; wobble()
#define LEAVE (void)0
#define WARM DO_WARM
#include "shapes.h"

#define NAME(f) strict_##f
#define X x_strict[place[0][i]]
#define Y y_strict[place[1][i]]
#define ENTER (void)0
#define MIDDLE wobble()
#define LEAVE (void)0
#define WARM NO_WARM
#include "shapes.h"

#define NAME(f) lock_##f
#define X x_relaxed[place[0][i]]
#define Y y_relaxed[place[1][i]]
#define ENTER upc_lock(mutex)
#define MIDDLE wobble()
#define LEAVE upc_unlock(mutex)
#define WARM DO_WARM
#include "shapes.h"

#define NAME(f) barrier_##f
#define X x_relaxed[place[0][i]]
#define Y y_relaxed[place[1][i]]
#define ENTER (void)0
#define MIDDLE wobble(); upc_barrier
#define LEAVE (void)0
#define WARM DO_WARM
#include "shapes.h"

#define NAME(f) notify_##f
#define X x_relaxed[place[0][i]]
#define Y y_relaxed[place[1][i]]
#define ENTER (void)0
#define MIDDLE wobble(); upc_notify; wobble(); upc_wait
#define LEAVE (void)0
#define WARM DO_WARM
#include "shapes.h"

#include "ways.h"

/* The outcomes. */
static int mp(const int* r, int x, int y) { return r[0] == 1 && r[1] == 0; }
static int sb(const int* r, int x, int y) { return r[0] == 0 && r[1] == 0; }
static int lb(const int* r, int x, int y) { return r[0] == 1 && r[1] == 1; }
static int ww(const int* r, int x, int y) { return x == 1 && y == 1; }
static int wrc(const int* r, int x, int y) { return r[0] == 1 && r[1] == 1 && r[2] == 0; }
static int iriw(const int* r, int x, int y) { return r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0; }
static int corr(const int* r, int x, int y) { return r[0] == 1 && r[1] == 0; }
static int coww(const int* r, int x, int y) { return x != 2; }
static int cowr(const int* r, int x, int y) { return r[0] == 0 || (r[0] == 2 && x == 1); }
static int corw(const int* r, int x, int y) { return r[0] == 1 || (r[0] == 2 && x == 2); }
static int pass(const int* r, int x, int y) { return r[0] == 1 && r[1] != BLOCK; }
static int reread(const int* r, int x, int y) { return r[1] < r[0]; }
static int own(const int* r, int x, int y) { return r[0] != BLOCK || r[1] != BLOCK || r[2] != BLOCK || r[3] != 9; }

typedef struct {
  const char* name;
  const char* text; /* of the outcome: r are registers, x and y what is there at the end */
  outcome_t outcome;
  int roles;
  int allowed;   /* the outcome is counted and does no harm */
  int meets;     /* each instance has a barrier */
  int way;
  role_t role[MOST_ROLES];
  role_t idle;   /* of threads without a role */
} litmus_t;

#define SHAPES(order, allowed, meets)                                                                                  \
  {"MP " #order, "r0=1 r1=0", mp, 2, allowed, meets, 0, {order##_mp_0, order##_mp_1}, order##_idle},                   \
  {"SB " #order, "r0=0 r1=0", sb, 2, allowed, meets, 0, {order##_sb_0, order##_sb_1}, order##_idle},                   \
  {"LB " #order, "r0=1 r1=1", lb, 2, allowed, meets, 0, {order##_lb_0, order##_lb_1}, order##_idle},                   \
  {"2+2W " #order, "x=1 y=1", ww, 2, allowed, meets, 0, {order##_ww_0, order##_ww_1}, order##_idle},                   \
  {"WRC " #order, "r0=1 r1=1 r2=0", wrc, 3, allowed, meets, 0, {order##_wrc_0, order##_wrc_1, order##_wrc_2},          \
   order##_idle},                                                                                                      \
  {"IRIW " #order, "r0=1 r1=0 r2=1 r3=0", iriw, 4, allowed, meets, 0,                                                  \
   {order##_wrc_0, order##_iriw_1, order##_iriw_2, order##_iriw_3}, order##_idle},                                     \
  {"CoRR " #order, "r0=1 r1=0", corr, 2, allowed, meets, 0, {order##_wrc_0, order##_corr_1}, order##_idle},            \
  {"CoWW " #order, "x!=2", coww, 2, 0, meets, 0, {order##_coww_0, order##_corr_1}, order##_idle},                      \
  {"CoWR " #order, "r0=0, or r0=2 x=1", cowr, 2, 0, meets, 0, {order##_cowr_0, order##_cowr_1}, order##_idle},         \
  {"CoRW " #order, "r0=1, or r0=2 x=2", corw, 2, 0, meets, 0, {order##_corw_0, order##_cowr_1}, order##_idle}

#define PASS(order, allowed, name, way)                                                                      \
  {"MP " #order " " name, "r0=1 r1<16", pass, 2, allowed, 0, way, {pass_##order##_0, pass_##order##_1}, nothing}
#define REREAD(order, allowed, name, way) \
  {"CoRR " #order " " name, "r1<r0", reread, 2, allowed, 0, way, {pass_relaxed_0, reread_##order##_1}, nothing}
#define OWN(name, way) {"own writes " name, "r0, r1 or r2<16, or r3!=9", own, 2, 0, 0, way, {own_0, own_1}, nothing}

static const litmus_t tests[] = {
    SHAPES(relaxed, 1, 0),
    SHAPES(kept, 1, 0),
    SHAPES(fence, 0, 0),
    SHAPES(strict, 0, 0),
    SHAPES(lock, 0, 0),
    SHAPES(barrier, 0, 1),
    SHAPES(notify, 0, 1),
    PASS(strict, 0, "single", SINGLE),
    PASS(strict, 0, "loop", LOOP),
    PASS(strict, 0, "scattered", SCATTERED),
    PASS(strict, 0, "copy", COPY),
    PASS(strict, 0, "update", UPDATE),
    PASS(fence, 0, "single", SINGLE),
    PASS(fence, 0, "loop", LOOP),
    PASS(fence, 0, "scattered", SCATTERED),
    PASS(fence, 0, "copy", COPY),
    PASS(fence, 0, "update", UPDATE),
    PASS(relaxed, 1, "single", SINGLE),
    PASS(relaxed, 1, "loop", LOOP),
    REREAD(relaxed, 1, "loop", LOOP),
    REREAD(fence, 0, "single", SINGLE),
    REREAD(fence, 0, "loop", LOOP),
    REREAD(fence, 0, "scattered", SCATTERED),
    REREAD(fence, 0, "copy", COPY),
    OWN("single", SINGLE),
    OWN("loop", LOOP),
    OWN("scattered", SCATTERED),
    OWN("copy", COPY),
};

strict shared uint64_t start_time;
static uint64_t seed;

/* All threads know the same places. */
static void set_up(const litmus_t* test, uint64_t number) {
  dice_state = seed + number * 0x9e3779b97f4a7c15u;
  for (int v = 0; v < 2; ++v) {
    for (int i = 0; i < BATCH; ++i) place[v][i] = i * THREADS + (int)(dice() % (uint32_t)THREADS);
  }
  for (int i = 0; i < BATCH; ++i) {
    const int mine = i * THREADS + MYTHREAD;
    x_relaxed[mine] = y_relaxed[mine] = 0;
    x_strict[mine] = y_strict[mine] = 0;
    for (int k = 0; k < SPACE; ++k) blocks[(long)mine * SPACE + k] = 0;
    for (int r = 0; r < REGISTERS; ++r) registers[r][i] = 0;
  }
  way = test->way;
  dice_state += (uint64_t)MYTHREAD << 32;
}

/* Until an instance starts. A thread that is late goes on at once. */
static void wait_until(uint64_t time) {
  while (upc_ticks_now() < time) {
    upc_poll();
    for (volatile int k = (int)(dice() % 16); k > 0; --k) continue;
  }
}

static void run_batch(const litmus_t* test, uint64_t number) {
  set_up(test, number);
  upc_barrier;
  if (MYTHREAD == 0) start_time = upc_ticks_now() + 10 * period;
  upc_barrier;
  const uint64_t start = start_time;
  const int turn = (MYTHREAD + (int)(number % (uint64_t)THREADS)) % THREADS;
  const role_t role = turn < test->roles ? test->role[turn] : test->idle;
  for (int i = 0; i < BATCH; ++i) {
    if (!test->meets) wait_until(start + (uint64_t)i * period);
    role(i);
  }
  upc_barrier;
}

/* A test uses one of the two. */
static int value_of(int v, int i) {
  const int at = place[v][i];
  return v == 0 ? x_relaxed[at] + x_strict[at] : y_relaxed[at] + y_strict[at];
}

/* How many instances of the batch had the outcome; only thread 0 knows. */
static int count_outcomes(const litmus_t* test, uint64_t number) {
  for (int r = 0; r < REGISTERS; ++r) {
    for (int i = 0; i < BATCH; ++i) all_registers[MYTHREAD * REGISTERS * BATCH + r * BATCH + i] = registers[r][i];
  }
  upc_barrier;
  int found = 0;
  for (int i = 0; i < BATCH && MYTHREAD == 0; ++i) {
    int r[REGISTERS] = {0};
    for (int k = 0; k < REGISTERS; ++k) {
      for (int t = 0; t < THREADS; ++t) r[k] += all_registers[(t * REGISTERS + k) * BATCH + i];
    }
    const int x = value_of(0, i), y = value_of(1, i);
    if (!test->outcome(r, x, y)) continue;
    if (found++ == 0 && !test->allowed)
      printf("FORBIDDEN %s: batch %" PRIu64 " instance %d: r0=%d r1=%d r2=%d r3=%d x=%d y=%d, x and y on threads %d and %d\n",
             test->name, number, i, r[0], r[1], r[2], r[3], x, y, place[0][i] % THREADS, place[1][i] % THREADS);
  }
  upc_barrier;
  return found;
}

/* Fewer batches of tests whose instances have a barrier: several times as long each. */
static int run_test(const litmus_t* test, uint64_t index, int batches) {
  const int own_batches = test->meets ? (batches + 7) / 8 : batches;
  int found = 0, bad_batches = 0;
  for (int b = 0; b < own_batches; ++b) {
    const uint64_t number = index << 32 | (uint64_t)b;
    run_batch(test, number);
    const int in_batch = count_outcomes(test, number);
    found += in_batch;
    bad_batches += in_batch != 0;
  }
  if (MYTHREAD == 0) {
    printf("%-22s %6d of %8d had %s%s\n", test->name, found, own_batches * BATCH, test->text,
           found == 0 ? "" : test->allowed ? " (allowed)" : " (FORBIDDEN)");
    fflush(stdout);
  }
  return test->allowed ? 0 : bad_batches;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    if (MYTHREAD == 0) fprintf(stderr, "usage: %s SEED BATCHES NANOSECONDS [WORD]\n", argv[0]);
    return 2;
  }
  seed = strtoull(argv[1], NULL, 10);
  const int batches = atoi(argv[2]);
  period = strtoull(argv[3], NULL, 10);
  mean_delay = (int)(period / 4 + 1);
  mutex = upc_all_lock_alloc();
  int bad = 0;
  for (size_t t = 0; t < sizeof tests / sizeof *tests; ++t) {
    const int chosen = argc < 5 || strstr(tests[t].name, argv[4]) != NULL;
    if (chosen && tests[t].roles <= THREADS) bad += run_test(&tests[t], t, batches);
  }
  upc_barrier;
  upc_all_lock_free(mutex);
  return bad != 0;
}
