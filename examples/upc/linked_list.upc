/* A linked list whose nodes lie on all threads. Each thread makes nodes in its own part of shared memory (upc_alloc)
 * and hangs them into the list under a lock; any thread can then walk it. A pointer to a node is `shared []`: it
 * points to one object, on whichever thread. */
#include <stdio.h>
#include <upc.h>

#define PER_THREAD 10
struct node {
  int owner, value;
  shared [] struct node *next;
};
shared [] struct node *shared head; /* a shared pointer: all threads see the same one, on thread 0 */

int main(void) {
  upc_lock_t *lock = upc_all_lock_alloc();
  for (int k = 0; k < PER_THREAD; k++) {
    shared [] struct node *node = upc_alloc(sizeof(struct node));
    node->owner = MYTHREAD;
    node->value = k;
    upc_lock(lock);
    node->next = head;
    head = node;
    upc_unlock(lock);
  }
  upc_barrier;
  long sum = 0, nodes = 0;
  for (shared [] struct node *p = head; p != NULL; p = p->next) {
    sum += p->value;
    nodes++;
    if (upc_threadof(p) != (size_t)p->owner) sum = -1000000;
  }
  long expected = (long)THREADS * PER_THREAD * (PER_THREAD - 1) / 2;
  int good = sum == expected && nodes == PER_THREAD * THREADS;
  if (MYTHREAD == 0 || !good) printf("%s: every thread can walk the list\n", good ? "ok" : "wrong");
  upc_barrier;
  while (MYTHREAD == 0 && head != NULL) {
    shared [] struct node *next = head->next;
    upc_free(head);
    head = next;
  }
  upc_all_lock_free(lock);
  return 0;
}
