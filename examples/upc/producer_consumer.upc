/* Producer and consumer with semaphores: thread t sends numbers to thread t + 1 through a small ring of slots in the
 * receiver's memory. bupc_memput_signal puts the data and raises `full` when it is there; the receiver gives slots
 * back with `empty`. */
#include <bupc_extensions.h>
#include <stdio.h>
#include <upc.h>

#define SLOTS 4
#define MESSAGES 100
shared [SLOTS] int ring[THREADS][SLOTS];
bupc_sem_t *shared full[THREADS], *shared empty[THREADS];
shared long received[THREADS];

int main(void) {
  int next = (MYTHREAD + 1) % THREADS, before = (MYTHREAD + THREADS - 1) % THREADS;
  full[MYTHREAD] = bupc_sem_alloc(BUPC_SEM_INTEGER | BUPC_SEM_SPRODUCER | BUPC_SEM_SCONSUMER);
  empty[MYTHREAD] = bupc_sem_alloc(BUPC_SEM_INTEGER | BUPC_SEM_SPRODUCER | BUPC_SEM_SCONSUMER);
  upc_barrier;
  bupc_sem_t *filled = full[MYTHREAD], *free_slots = empty[MYTHREAD];
  bupc_sem_postN(free_slots, SLOTS);
  long sum = 0;
  for (int k = 0; k < MESSAGES; k++) {
    int message = 1000 * MYTHREAD + k;
    bupc_sem_wait(free_slots);
    bupc_memput_signal(&ring[next][k % SLOTS], &message, sizeof message, full[next], 1);
    bupc_sem_wait(filled);
    sum += ring[MYTHREAD][k % SLOTS];
    bupc_sem_post(empty[before]);
  }
  received[MYTHREAD] = sum;
  upc_barrier;
  if (MYTHREAD == 0) {
    int wrong = 0;
    for (int t = 0; t < THREADS; t++) {
      int from = (t + THREADS - 1) % THREADS;
      wrong += received[t] != 1000L * from * MESSAGES + MESSAGES * (MESSAGES - 1) / 2;
    }
    printf("messages around the ring: %s\n", wrong == 0 ? "ok" : "wrong");
  }
  upc_barrier;
  bupc_sem_free(filled);
  bupc_sem_free(free_slots);
  return 0;
}
