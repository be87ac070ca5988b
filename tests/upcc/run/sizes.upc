/* Sizes of shared objects where C wants constants, in declarations that have nothing else of UPC. */
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

int main(void) {
  RUN(sizes);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
