/* Hangs: a thread that holds a lock waits for one that wants it. The argument says where. */
#include <bupc.h>
#include <stdio.h>
#include <string.h>
#include <upc.h>

static void ready(void) {
  puts("ready");
  fflush(stdout);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  upc_lock_t *lock = upc_all_lock_alloc();
  if (!strcmp(what, "semaphore")) {
    ready();
    bupc_sem_wait(bupc_sem_alloc(0));
  }
  upc_lock(lock); /* the lock is taken */
  ready();
  if (!strcmp(what, "compute"))
    for (volatile int forever = 1; forever;) {}
  if (!strcmp(what, "twice")) upc_lock(lock); /* again */
  if (!strcmp(what, "call")) upc_all_alloc(THREADS, 4);
  if (!strcmp(what, "end")) return 0;
  upc_barrier;
  upc_unlock(lock);
  return 0;
}
