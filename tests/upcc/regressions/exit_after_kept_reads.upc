/* exit() while reads are kept, by calls and by a loop that gathers: what keeps them is there until the thread has
 * ended. Also with WEFT_MAP_PEERS=0. */
#include <stdlib.h>

#include "../check.h"

#define N 400
shared long x[N * THREADS];
static int places[N];

int main(void) {
  long sum = 0;
  for (int k = 0; k < N; k++) {
    x[k * THREADS + MYTHREAD] = 1;
    places[k] = (k * 7 + MYTHREAD) % (N * THREADS);
  }
  upc_barrier;
  for (int pass = 0; pass < 50; pass++)
    for (int k = 0; k < N; k++) sum += x[places[k]];
  CHECK(sum == 50 * N);
  CHECK(x[(MYTHREAD + 1) % THREADS] == 1);
  if (MYTHREAD == 0) {
    printf("PASS\n");
    fflush(stdout);
  }
  exit(0);
}
