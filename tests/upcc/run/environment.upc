/* What a program may ask about its translation and its threads (UPC 5.1, 6.3, 6.7.2), types of the operators' results
 * (6.4.1), conversions (6.4.3), & (6.4.4) and which clauses of upc_forall are evaluated where (6.6.2). */
#include <stddef.h>
#include "../check.h"
#include <upc_atomic.h>
#include <upc_castable.h>
#include <upc_collective.h>
#include <upc_nb.h>
#include <upc_tick.h>

#if __UPC__ != 1 || __UPC_VERSION__ != 201311L || __UPC_COLLECTIVE__ != 1 || __UPC_TICK__ != 1 || \
    __UPC_ATOMIC__ != 1 || __UPC_CASTABLE__ != 1 || __UPC_NB__ != 1
#error "predefined macros (6.7.2)"
#endif
#if UPC_MAX_BLOCK_SIZE < 1 << 20
#error "UPC_MAX_BLOCK_SIZE (6.3.3)"
#endif
#ifdef __UPC_STATIC_THREADS__
#if defined(__UPC_DYNAMIC_THREADS__) || THREADS < 1
#error "static THREADS (6.3.1)"
#endif
_Static_assert(THREADS > 0, "a constant expression");
static int private_array[THREADS];
shared [2] int any_size[11];
#elif __UPC_DYNAMIC_THREADS__ != 1
#error "one of both environments"
#endif

shared [3] int blocked[6 * THREADS];
shared int cyclic[2 * THREADS][5];
shared [] double single[4];
struct pair { int first; double second; };
shared [2] struct pair pairs[4 * THREADS];
shared int counts[THREADS][4];

static void values(void) {
  CHECK(MYTHREAD >= 0 && MYTHREAD < THREADS);
  CHECK(_Generic(THREADS, int: 1, default: 0) && _Generic(MYTHREAD, int: 1, default: 0));
  CHECK(_Generic(upc_localsizeof(blocked), size_t: 1, default: 0));
  CHECK(_Generic(upc_blocksizeof(blocked), size_t: 1, default: 0));
  CHECK(_Generic(upc_elemsizeof(blocked), size_t: 1, default: 0));
  CHECK(_Generic(sizeof(blocked), size_t: 1, default: 0));
#ifdef __UPC_STATIC_THREADS__
  private_array[THREADS - 1] = 1;
  CHECK(sizeof private_array == THREADS * sizeof(int) && sizeof any_size == 11 * sizeof(int));
#endif
}

static int evaluations;
static int count(void) { return ++evaluations; }

static void sizes(void) {
  CHECK_EQUAL(sizeof(blocked), 6 * THREADS * sizeof(int));
  CHECK_EQUAL(upc_localsizeof(blocked), 6 * sizeof(int));
  CHECK_EQUAL(upc_blocksizeof(blocked), 3);
  CHECK_EQUAL(upc_elemsizeof(cyclic), sizeof(int));
  CHECK_EQUAL(upc_blocksizeof(single), 0);
  CHECK_EQUAL(upc_elemsizeof(shared [2] struct pair), sizeof(struct pair));
  CHECK_EQUAL(upc_blocksizeof(shared int), 1);
  CHECK_EQUAL(upc_elemsizeof(blocked[count()]) + upc_blocksizeof(blocked[count()]), sizeof(int) + 3);
  CHECK_EQUAL(upc_localsizeof(cyclic[count()]), upc_localsizeof(cyclic[0]));
  CHECK_EQUAL(evaluations, 0);
}

static void conversions(void) {
  shared [3] int *p = &blocked[4];
  shared void *generic = p;
  CHECK_EQUAL(upc_phaseof(generic), 1);
  CHECK_EQUAL(upc_phaseof((shared [3] int *)generic), 1);
  CHECK_EQUAL(upc_phaseof((shared [] int *)generic), 0);
  CHECK_EQUAL(upc_phaseof((shared int *)generic), 0);
  CHECK_EQUAL(upc_phaseof((shared [3] float *)p), 1);
  CHECK_EQUAL(upc_phaseof((shared [3] double *)p), 0);
  CHECK_EQUAL(upc_phaseof((shared [2] int *)p), 0);
  shared int *null = NULL;
  CHECK((int *)null == NULL && (void *)(shared void *)0 == NULL);
  CHECK(null == 0 && (shared [5] double *)0 == NULL);
  CHECK((int)sizeof(int *) > 0 && (int *)&blocked[3 * MYTHREAD] != NULL);
}

static void addresses(void) {
  /* A member is indefinite; an array keeps its type. */
  CHECK_EQUAL(upc_blocksizeof(*&pairs[1].second), 0);
  CHECK_EQUAL(upc_phaseof(&pairs[1].second), 0);
  CHECK_EQUAL(upc_blocksizeof(*&blocked), 3);
  CHECK_EQUAL(sizeof(*&blocked), sizeof(blocked));
  shared [3] int (*whole)[6 * THREADS] = &blocked;
  CHECK(&(*whole)[4] == &blocked[4] && upc_phaseof(whole) == 0 && upc_threadof(whole) == 0);
  shared int (*row)[5] = &cyclic[1];
  CHECK(&(*row)[2] == &cyclic[1][2]);
}

/* Every thread evaluates all clauses; each body runs once. */
static void clauses(void) {
  int i, init = 0, tests = 0, steps = 0, affinities = 0, bodies = 0;
  upc_forall ((init++, i = 0); (tests++, i < 4 * THREADS); (steps++, i++); (affinities++, i)) bodies++;
  CHECK(init == 1 && tests == 4 * THREADS + 1 && steps == 4 * THREADS && affinities == 4 * THREADS);
  CHECK_EQUAL(bodies, 4);
  CHECK_EQUAL(i, 4 * THREADS);
  /* The outermost loop with an affinity controls. */
  int inner = 0;
  upc_forall (int a = 0; a < 2; a++; continue)
    upc_forall (int b = 0; b < THREADS; b++; b)
      upc_forall (int c = 0; c < 3; c++; c) inner++;
  CHECK_EQUAL(inner, 2 * 3);
  int all = 0;
  upc_forall (int a = 0; a < 7; a++;) all++;
  CHECK_EQUAL(all, 7);
}

int main(void) {
  RUN(values);
  RUN(sizes);
  RUN(conversions);
  RUN(addresses);
  RUN(clauses);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
