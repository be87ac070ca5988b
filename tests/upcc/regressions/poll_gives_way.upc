/* A loop of bupc_poll() that waits for private memory lets the thread run that it waits for. */
#include "../check.h"

static int given; /* how often this thread gave the processor away */
int sched_yield(void) {
  given++;
  return 0;
}

int main(void) {
  upc_barrier;
  const int before = given;
  for (int i = 0; i < 4096; i++) bupc_poll();
  CHECK(given > before && given <= before + 64);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
