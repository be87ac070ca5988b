/* An unsigned index whose step does not hit the limit may pass the top of its type and come round: 5 iterations
 * planned instead of 24 (defined: unsigned wraps). */
#include <stdlib.h>

#include "../check.h"
shared int numbers[64 * THREADS];
static void fill(void) {
  if (MYTHREAD == 0)
    for (int k = 0; k < 64 * THREADS; k++) numbers[k] = k;
  upc_barrier;
}

int main(void) {
  fill();
  int c = 0;
  for (unsigned i = 0; i < 0xf0000000u; i += 0x35000000u) c += numbers[0] + 1;
  int d = 0;
  for (unsigned i = 0; i < 0xf0000000u; i += 0x35000000u) d++;
  CHECK_EQUAL(c, d);
  c = 0;
  unsigned s = -1u;
  for (unsigned i = 10; i < 20; i += s) c += numbers[0] + 1;
  CHECK_EQUAL(c, 11);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
