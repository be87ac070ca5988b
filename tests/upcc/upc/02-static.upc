// options: -T4
// With static THREADS any constant dimension goes.
#include <stdio.h>
#if THREADS != 4 || !defined(__UPC_STATIC_THREADS__) || defined(__UPC_DYNAMIC_THREADS__)
#error static environment
#endif
shared int a[10], b[THREADS][4 * THREADS], c[10 + THREADS];
shared [] int d[THREADS];
shared [*] int e[10];
shared [5] int f[THREADS * THREADS];
int private_array[THREADS] = {[THREADS - 1] = 1};
enum { N = THREADS * 2 };
struct s { int x[THREADS]; unsigned bits : THREADS; };
_Static_assert(sizeof(a) == 40 && upc_localsizeof(a) == 12 && upc_localsizeof(f) == 20 && upc_blocksizeof(e) == 3, "");
int main(void) {
  switch (N) { case THREADS: return 1; }
  static int start = THREADS;
  printf("%d\n", a[3] + b[1][2] + start + (int)sizeof(b));
  return 0;
}
