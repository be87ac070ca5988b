/* Mistakes at run time: the first argument says which. A comment `expect NAME: message` stands before the line that the
 * message must name; run_programs.py reads these comments. With WEFT_CHECK=1 all are found; without it those marked
 * `always`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc.h>

struct node {
  shared [] struct node *next;
  int value;
  unsigned flag : 3;
};
shared [] struct node *shared list;
shared int table[10 * THREADS];
strict shared int strict_word;
static shared int *null_pointer;
static shared [] struct node *null_node;
static int sink;

static void null_pointers(const char *what) {
  /* expect null read: a read through a null pointer-to-shared */
  if (!strcmp(what, "null read")) sink = *null_pointer;
  /* expect null write: a write through a null pointer-to-shared */
  if (!strcmp(what, "null write")) *null_pointer = 1;
  /* expect null update: a read through a null pointer-to-shared */
  if (!strcmp(what, "null update")) null_pointer[0] += 1;
  /* expect null member: a read through a null pointer-to-shared */
  if (!strcmp(what, "null member")) sink = null_node->value;
  /* expect null bit-field: a read through a null pointer-to-shared */
  if (!strcmp(what, "null bit-field")) null_node->flag = 1;
  /* expect null strict: a strict write through a null pointer-to-shared */
  if (!strcmp(what, "null strict")) *(strict shared int *)null_pointer = 1;
  if (!strcmp(what, "null end of list"))
    /* expect null end of list: a read through a null pointer-to-shared */
    for (shared [] struct node *p = list;; p = p->next) sink = p->value;
  /* expect null copy: a write through a null pointer-to-shared */
  if (!strcmp(what, "null copy")) upc_memput(null_pointer, "abc", 3);
}

static void freed_memory(const char *what) {
  shared [] int *mine = upc_alloc(100 * sizeof(int));
  shared int *ours = upc_all_alloc(THREADS, 100 * sizeof(int));
  upc_free(mine);
  upc_barrier;
  if (MYTHREAD == 0) upc_free(ours);
  upc_barrier;
  /* expect freed read: a read of 4 bytes .*: the memory has been freed */
  if (!strcmp(what, "freed read")) sink = mine[3];
  /* expect freed write: a write of 4 bytes .*: the memory has been freed */
  if (!strcmp(what, "freed write")) mine[99] = 1;
  /* expect freed shared: a write of 4 bytes .*: the memory has been freed */
  if (!strcmp(what, "freed shared")) ours[THREADS * 7 + 1] = 1;
  /* expect freed copy: a read of 4 bytes .*: the memory has been freed */
  if (!strcmp(what, "freed copy")) upc_memget(&sink, mine, 4);
  if (!strcmp(what, "freed loop"))
    /* expect freed loop: a write of 4 bytes .*: the memory has been freed */
    upc_forall (int i = 0; i < 100; i++; &ours[i]) ours[i] = i;
  if (!strcmp(what, "freed own loop"))
    /* expect freed own loop: a read of 4 bytes .*: the memory has been freed */
    upc_forall (int i = 0; i < 100 * THREADS; i++; &ours[i]) sink += ours[i];
  /* expect freed own: (a write|an access) of 4 bytes .*: the memory has been freed */
  if (!strcmp(what, "freed own") && upc_threadof(mine) == MYTHREAD) *mine = 1;
  /* expect freed twice: upc_free: .* has been freed already; always */
  if (!strcmp(what, "freed twice")) upc_free(mine);
  /* expect freed inside: upc_free: .* was not allocated; always */
  if (!strcmp(what, "freed inside")) upc_free((shared [] char *)upc_alloc(64) + 16);
}

static void pointers(const char *what) {
  /* expect past the heap: a read of 4 bytes .*: no shared object is there */
  if (!strcmp(what, "past the heap")) sink = *((shared [] int *)upc_alloc(64) + (1 << 18));
  /* expect cast: a pointer-to-shared with affinity to thread [012] is cast */
  if (!strcmp(what, "cast")) sink = *(int *)&table[(MYTHREAD + 1) % THREADS];
}

static void locks(const char *what) {
  upc_lock_t *lock = upc_all_lock_alloc(), *own = upc_global_lock_alloc();
  /* expect unlock: upc_unlock: this thread does not hold the lock; always */
  if (!strcmp(what, "unlock")) upc_unlock(own);
  if (!strcmp(what, "unlock of others")) {
    if (MYTHREAD == 0) upc_lock(lock);
    upc_barrier;
    /* expect unlock of others: upc_unlock: this thread does not hold the lock; always */
    if (MYTHREAD == 1) upc_unlock(lock);
    upc_barrier;
  }
  upc_lock(own);
  /* expect lock twice: upc_lock: this thread holds the lock already */
  if (!strcmp(what, "lock twice")) upc_lock(own);
  upc_unlock(own);
}

static void barriers(const char *what) {
  /* expect mismatch: barrier mismatch; always */
  if (!strcmp(what, "mismatch")) upc_barrier MYTHREAD;
  if (!strcmp(what, "mismatch of wait")) {
    upc_notify 1;
    /* expect mismatch of wait: barrier mismatch: upc_wait 2, but upc_notify 1 at .*misuse.upc:\d+; always */
    upc_wait 2;
  }
  /* expect wait first: upc_wait without an upc_notify before it; always */
  if (!strcmp(what, "wait first")) upc_wait;
  if (!strcmp(what, "notify twice")) {
    upc_notify;
    /* expect notify twice: upc_notify follows the upc_notify at .*misuse.upc:\d+; always */
    upc_notify;
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (MYTHREAD == 0) {
    list = upc_alloc(sizeof(struct node));
    list->value = 1;
  }
  upc_barrier;
  null_pointers(what);
  freed_memory(what);
  pointers(what);
  locks(what);
  barriers(what);
  upc_barrier;
  if (MYTHREAD == 0) puts("nothing was wrong");
  return 0;
}
