/* The thread on which a lock lives takes it again and again. Threads of other hosts that want the lock get it between.
 * Also with WEFT_MAP_PEERS=0. */
#define _GNU_SOURCE
#include <unistd.h>

#include "../check.h"
strict shared int turns; /* those of the others */

int main(void) {
  upc_lock_t *lock = upc_all_lock_alloc(); /* the first one: on thread 0 */
  upc_barrier;
  if (MYTHREAD != 0) {
    upc_lock(lock);
    turns++;
    upc_unlock(lock);
  } else {
    int done = 0;
    for (int round = 0; round < 20 && !done; round++) {
      upc_lock(lock);
      done = turns == THREADS - 1;
      upc_unlock(lock);
      if (!done) usleep(50000);
    }
    CHECK(done);
  }
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
