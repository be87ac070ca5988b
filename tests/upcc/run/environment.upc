/* What a program may ask about its translation and its threads (UPC 5.1, 6.3, 6.7.2), types of the operators' results
 * (6.4.1), conversions (6.4.3), & (6.4.4) and which clauses of upc_forall are evaluated where (6.6.2). */
#include <bupc.h>
#include <stdarg.h>
#include <stddef.h>
#include "../check.h"
#include <upc_atomic.h>
#include <upc_castable.h>
#include <upc_collective.h>
#include <upc_nb.h>
#include <upc_tick.h>

#if __UPC__ != 1 || __UPC_VERSION__ != 201311L || __UPC_COLLECTIVE__ != 1 || __UPC_TICK__ != 1 || \
    __UPC_ATOMIC__ != 1 || __UPC_CASTABLE__ != 1 || __UPC_IO__ != 1 || __UPC_NB__ != 1
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

/* ---- Sizes where C wants constants, and UPC in type names; the rest of the declaration or expression is C ---- */
shared [4] int table[4 * THREADS];
static char at_file_scope[upc_blocksizeof(table)] = "abc";
struct in_members {
  char bytes[upc_elemsizeof(table)];
  unsigned width : upc_blocksizeof(table);
  char pointer[sizeof(shared int *)];
};
enum { constant = upc_blocksizeof(table) };
typedef char name[upc_blocksizeof(table) + sizeof(shared [] int *)];
_Static_assert(upc_blocksizeof(table) == 4, "as declared");
_Static_assert(upc_localsizeof(table) == 16, "as declared");

static int parameters(int n, char first[upc_blocksizeof(table)], char (*second)[n][sizeof(shared int *)]) {
  return (int)sizeof(*(char (*)[upc_blocksizeof(table)])first) + (int)sizeof(*second);
}

static int labels(int n) {
  switch (n) {
    case upc_blocksizeof(table): return 1;
    case upc_blocksizeof(table) + 1 ... upc_blocksizeof(table) + 3: return 2;
  }
  return 3;
}

static void constant_sizes(void) {
  char buffer[upc_blocksizeof(table)] = "abc", two[2][sizeof(shared int *)];
  static char again[upc_blocksizeof(table)];
  _Alignas(upc_localsizeof(table)) char aligned = 1;
  _Alignas(upc_localsizeof(table)) char alone;
  char whole[sizeof(table)];
  name named;
  alone = again[0];
  CHECK(sizeof at_file_scope == 4 && sizeof buffer == 4 && sizeof again == 4 && sizeof two == 32);
  CHECK(at_file_scope[2] == 'c' && buffer[2] == 'c' && aligned == 1 && alone == 0);
  CHECK((unsigned long)&aligned % 16 == 0 && (unsigned long)&alone % 16 == 0);
  CHECK(sizeof(struct in_members) == 4 + 4 + 16 && constant == 4 && sizeof named == 4 + 16);
  CHECK(sizeof whole == 16 * (unsigned long)THREADS);
  CHECK(parameters(3, buffer, (char (*)[3][16])two) == 4 + 3 * 16);
  CHECK(labels(4) == 1 && labels(7) == 2 && labels(8) == 3);
  CHECK(__builtin_choose_expr(upc_blocksizeof(table) == 4, 1, 0));
  CHECK(_Generic((char (*)[upc_blocksizeof(table)])0, char (*)[4]: 1, default: 0));
}

struct with_pointer {
  shared int *pointer;
  int number;
};
static int private[3] = {1, 2, 3};

static int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  __typeof__(MYTHREAD) number = va_arg(list, __typeof__(MYTHREAD));
  shared [4] int *pointer = va_arg(list, __typeof__(&table[0]));
  va_end(list);
  return number + (int)upc_phaseof(pointer);
}

static void type_names(void) {
  static __typeof__(MYTHREAD) kept = sizeof(table[0]) + 1;
  __typeof__(table[0] + 0) number = 3;
  int sum = (__typeof__(MYTHREAD))3.5 + *(__typeof__(THREADS) *)&number;
  char of_element[sizeof(private[MYTHREAD])], of_type[sizeof(__typeof__(MYTHREAD))];
  char of_offset[offsetof(struct with_pointer, number)];
  char of_alignment[_Alignof(shared int *)], of_value[sizeof(MYTHREAD)] = {1}, more[(unsigned)sizeof(THREADS) + 1];
  CHECK(sizeof of_element == 4 && sizeof of_type == 4 && sizeof of_offset == 16 && sizeof of_alignment == 8);
  CHECK(sizeof of_value == 4 && of_value[0] == 1 && sizeof more == 5 && sum == 6 && kept == 5);
  CHECK(_Generic(MYTHREAD, __typeof__(THREADS): 1, default: 0));
  CHECK(((struct { __typeof__(THREADS) member; }){5}).member + ((__typeof__(MYTHREAD)[2]){1, 2})[1] == 7);
  for (__typeof__(MYTHREAD) i = 0; i < 2; i++) sum++;
  switch (sum) {
    case sizeof(table[0]): sum = 100; break;
    case 4 + sizeof(MYTHREAD): sum = 200;
  }
  CHECK(sum == 200 && variadic(1, 2, &table[3]) == 5);
  CHECK(bupc_assert_type(number, int) && bupc_assert_type(MYTHREAD, int));
  CHECK(bupc_assert_type(size_t, upc_blocksizeof(table)));
  CHECK(bupc_assert_type(table[0], shared [4] int) && bupc_assert_type(&table[3], shared [4] int *));
  CHECK(!bupc_assert_type(&table[3], int *) && !bupc_assert_type(shared [2] int *, shared [3] int *));
}

int main(void) {
  RUN(values);
  RUN(sizes);
  RUN(constant_sizes);
  RUN(type_names);
  RUN(conversions);
  RUN(addresses);
  RUN(clauses);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
