/* A work queue: tasks of very different length are taken from a shared counter under a lock, so that no thread idles
 * while there is work. Each result goes to the shared array where anyone can read it. */
#include <stdio.h>
#include <upc.h>

#define TASKS 64
shared int next_task;
shared long results[TASKS * THREADS];
shared int done_by[THREADS];

static int take(upc_lock_t *lock) {
  upc_lock(lock);
  int task = next_task;
  if (task < TASKS) next_task = task + 1;
  upc_unlock(lock);
  return task;
}

static long work(int task) {
  long steps = 0;
  for (long n = task * 7919 + 27; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) steps++;
  return steps;
}

int main(void) {
  upc_lock_t *lock = upc_all_lock_alloc();
  for (int task = take(lock); task < TASKS; task = take(lock)) {
    results[task] = work(task);
    done_by[MYTHREAD]++;
  }
  upc_barrier;
  if (MYTHREAD == 0) {
    int done = 0, wrong = 0;
    for (int t = 0; t < THREADS; t++) done += done_by[t];
    for (int task = 0; task < TASKS; task++) wrong += results[task] != work(task);
    printf("tasks done: %s\n", done == TASKS && wrong == 0 ? "ok" : "wrong");
  }
  upc_barrier;
  upc_all_lock_free(lock);
  return 0;
}
