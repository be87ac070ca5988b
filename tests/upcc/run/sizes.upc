/* Sizes of shared objects where C wants constants, and UPC in type names, in declarations and expressions that have nothing
 * else of UPC. */
#include <bupc.h>
#include <stdarg.h>
#include <stddef.h>
#include "../check.h"

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

static void sizes(void) {
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

struct pair {
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

static void types(void) {
  static __typeof__(MYTHREAD) kept = sizeof(table[0]) + 1;
  __typeof__(table[0] + 0) number = 3;
  int sum = (__typeof__(MYTHREAD))3.5 + *(__typeof__(THREADS) *)&number;
  char of_element[sizeof(private[MYTHREAD])], of_type[sizeof(__typeof__(MYTHREAD))], of_offset[offsetof(struct pair, number)];
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
  CHECK(bupc_assert_type(number, int) && bupc_assert_type(MYTHREAD, int) && bupc_assert_type(size_t, upc_blocksizeof(table)));
  CHECK(bupc_assert_type(table[0], shared [4] int) && bupc_assert_type(&table[3], shared [4] int *));
  CHECK(!bupc_assert_type(&table[3], int *) && !bupc_assert_type(shared [2] int *, shared [3] int *));
}

int main(void) {
  RUN(sizes);
  RUN(types);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
