/* Loops that leave by return (or exit) long before their limit run no iteration at all when the number of
 * iterations is no long. */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

static long find(int x, size_t max) {
  for (size_t i = 0; i < max; i++)
    if (numbers[i] == x) return (long)i;
  return -1;
}
static long find2(int x) {
  for (int i = 0; i != -1; i++)
    if (numbers[i] == x) return i;
  return -1;
}
static long find3(int x) {
  for (unsigned i = 0; i != -1; i++)
    if (numbers[i] == x) return i;
  return -1;
}
static long find4(int x, long m) {
  for (long i = 0; i <= m; i++)
    if (numbers[i] == x) return i;
  return -1;
}
int main(void) {
  fill();
#ifndef W
#define W 15 /* which */
#endif
  if (W & 1) CHECK_EQUAL(find(7, (size_t)-1), 7);
  if (W & 2) CHECK_EQUAL(find2(7), 7);
  if (W & 4) CHECK_EQUAL(find3(7), 7);
  if (W & 8) CHECK_EQUAL(find4(7, 0x7fffffffffffffff), 7);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
