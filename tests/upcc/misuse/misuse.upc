/* Mistakes at run time: the first argument says which. A comment `expect NAME: message` stands before the line that the
 * message must name; run_programs.py reads these comments. With WEFT_CHECK=1 all are found; without it those marked
 * `always`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bupc.h>
#include <upc.h>
#include <upc_atomic.h>
#include <upc_collective.h>
#include <upc_nb.h>
#include <upc_team.h>

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
static int sink, places[3];
shared [4] int blocks[4 * THREADS];
shared [] int block[4 * 100];

static void null_pointers(const char *what) {
  /* expect null read: a read through a null pointer-to-shared; a pointer variable is each thread's own: all get what upc_all_alloc */
  if (!strcmp(what, "null read")) sink = *null_pointer;
  /* expect null write: a write through a null pointer-to-shared */
  if (!strcmp(what, "null write")) *null_pointer = 1;
  /* expect null update: a read through a null pointer-to-shared */
  if (!strcmp(what, "null update")) null_pointer[0] += 1;
  /* expect null member: a read through a null pointer-to-shared plus \d+ bytes, or \d+ bytes before the first shared object */
  if (!strcmp(what, "null member")) sink = null_node->value;
  /* expect null bit-field: a read through a null pointer-to-shared */
  if (!strcmp(what, "null bit-field")) null_node->flag = 1;
  /* expect null strict: a strict write through a null pointer-to-shared */
  if (!strcmp(what, "null strict")) *(strict shared int *)null_pointer = 1;
  if (!strcmp(what, "null end of list"))
    /* expect null end of list: a read through a null pointer-to-shared */
    for (shared [] struct node *p = list;; p = p->next) sink = p->value;
  if (!strcmp(what, "null loop"))
    /* expect null loop: a write through a null pointer-to-shared */
    for (int i = 0; i < 3; i++) null_pointer[i] = i;
  if (!strcmp(what, "null gather"))
    /* expect null gather: a read through a null pointer-to-shared */
    for (int i = 0; i < 3; i++) sink += null_pointer[places[i]];
  if (!strcmp(what, "null updates"))
    /* expect null updates: a (read|write) through a null pointer-to-shared */
    for (int i = 0; i < 3; i++) null_pointer[places[i]] += i;
  /* expect null memput: upc_memput: dst is a null pointer-to-shared; always */
  if (!strcmp(what, "null memput")) upc_memput(null_pointer, "abc", 3);
  /* expect null memget: upc_memget: src is a null pointer-to-shared; always */
  if (!strcmp(what, "null memget")) upc_memget(&sink, null_pointer, 4);
  /* expect null memcpy: upc_memcpy: src is a null pointer-to-shared; always */
  if (!strcmp(what, "null memcpy")) upc_memcpy(table, null_pointer, 4);
  /* expect null memset: upc_memset: dst is a null pointer-to-shared; always */
  if (!strcmp(what, "null memset")) upc_memset(null_pointer, 0, 4);
  /* expect null non-blocking: upc_memput_nb: dst is a null pointer-to-shared; always */
  if (!strcmp(what, "null non-blocking")) upc_sync(upc_memput_nb(null_pointer, "abc", 3));
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
  /* expect freed copy: upc_memget of 4 bytes .*: the memory has been freed */
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
  /* expect freed inside: upc_free: .* was not allocated by a UPC allocation function, or was overwritten; always */
  if (!strcmp(what, "freed inside")) upc_free((shared [] char *)upc_alloc(64) + 16);
}

static void pointers(const char *what) {
  /* expect past the heap: a read of 4 bytes .*: no shared object is there */
  if (!strcmp(what, "past the heap")) sink = *((shared [] int *)upc_alloc(64) + (1 << 18));
  volatile int before = -4000;
  /* expect before the first: a write .* plus \d+ bytes, or \d+ bytes before the first shared object */
  if (!strcmp(what, "before the first")) block[before] = 1;
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
  /* expect null lock: upc_lock: the lock is a null pointer; upc_all_lock_alloc; always */
  if (!strcmp(what, "null lock")) upc_lock(NULL);
  /* expect unlock null: upc_unlock: the lock is a null pointer; upc_all_lock_alloc; always */
  if (!strcmp(what, "unlock null")) upc_unlock(NULL);
  /* expect no lock: upc_lock: at thread 0, offset 0x\w+ is no lock; locks are made by upc_all_lock_alloc */
  if (!strcmp(what, "no lock")) upc_lock((upc_lock_t *)(shared void *)&table[0]);
  upc_lock(own);
  /* expect lock twice: upc_lock: this thread holds the lock already; always */
  if (!strcmp(what, "lock twice")) upc_lock(own);
  upc_unlock(own);
  /* expect lock at end: upc_lock: this thread called exit.0. and still holds the lock */
  if (!strcmp(what, "lock at end")) { upc_lock(own); exit(0); }
  /* What is freed is held by nobody. */
  if (MYTHREAD == 1) upc_lock(lock);
  upc_all_lock_free(lock);
  upc_lock_free(own);
  /* expect lock freed twice: upc_lock_free: .* has been freed already; it was a lock: one thread calls .*; always */
  if (!strcmp(what, "lock freed twice")) upc_lock_free(own);
}

static void barriers(const char *what) {
  /* expect mismatch: barrier mismatch: thread 0 gave 0 .*, thread 1 gave 1 .*, thread 2 gave 2; always */
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


static void collectives(const char *what) {
  if (!strcmp(what, "call and barrier")) {
    /* expect call and barrier: thread 0 is in upc_all_alloc of 4 bytes .*, threads? [12, ]+ (is|are) at upc_barrier; always */
    if (!MYTHREAD) { upc_all_alloc(THREADS, 4); } else upc_barrier;
  }
  /* expect different calls: thread 0 is in upc_all_scatter of 16 bytes.*thread.* in upc_all_broadcast of 16 bytes */
  if (!strcmp(what, "different calls")) { if (MYTHREAD) upc_all_broadcast(blocks, block, 16, 0); else upc_all_scatter(blocks, block, 16, 0); }
  /* expect different sizes: thread 0 is in upc_all_alloc of 16 bytes.*threads 1, 2 are in upc_all_alloc of 8 bytes */
  if (!strcmp(what, "different sizes")) upc_all_alloc(THREADS, MYTHREAD ? 8 : 16);
  shared int *ours = upc_all_alloc(THREADS, sizeof(int));
  /* expect different frees: thread 0 is in upc_all_free .*thread 1 is in upc_all_free .*; all threads make the same */
  if (!strcmp(what, "different frees")) upc_all_free(ours + MYTHREAD);
  /* expect free of null: thread 0 is in upc_all_free .*threads 1, 2 are in upc_all_free .*; all threads make the same */
  if (!strcmp(what, "free of null")) upc_all_free(MYTHREAD ? NULL : ours);
  upc_all_free(ours);
  /* expect different flags: all threads make the same collective calls|thread 0 is in upc_all_broadcast */
  if (!strcmp(what, "different flags")) upc_all_broadcast(blocks, block, 16, MYTHREAD ? UPC_IN_ALLSYNC | UPC_OUT_MYSYNC : 0);
  /* expect null broadcast: upc_all_broadcast: dst is a null pointer-to-shared; always */
  if (!strcmp(what, "null broadcast")) upc_all_broadcast(NULL, block, 16, 0);
  /* expect flags: upc_all_broadcast: the flags are 0xfff; they are one of UPC_IN_NOSYNC, .*; always */
  if (!strcmp(what, "flags")) upc_all_broadcast(blocks, block, 16, 0xfff);
  /* expect team flags: upc_team_broadcast: the flags are 0x40; .*; always */
  if (!strcmp(what, "team flags")) upc_team_broadcast(UPC_TEAM_ALL, blocks, blocks, 16, 0x40);
  /* expect null source: upc_all_gather_all: src is a null pointer-to-shared; always */
  if (!strcmp(what, "null source")) upc_all_gather_all(blocks, NULL, 16, 0);
  /* expect null reduction: upc_all_reduceI: src is a null pointer-to-shared; always */
  if (!strcmp(what, "null reduction")) upc_all_reduceI(table, NULL, UPC_ADD, THREADS, 1, NULL, 0);
  /* expect null result: upc_all_reduceD: dst is a null pointer-to-shared; always */
  if (!strcmp(what, "null result")) upc_all_reduceD(NULL, (shared void *)table, UPC_ADD, THREADS, 1, NULL, 0);
  /* expect null prefix: upc_all_prefix_reduceI: src is a null pointer-to-shared; always */
  if (!strcmp(what, "null prefix")) upc_all_prefix_reduceI(table, NULL, UPC_ADD, THREADS, 1, NULL, 0);
  /* expect negative nelems: upc_all_reduceI: nelems is -1, and src would reach beyond the end of shared memory; always */
  if (!strcmp(what, "negative nelems")) upc_all_reduceI(table, table, UPC_ADD, -1, 1, NULL, 0);
  /* expect huge nelems: upc_all_prefix_reduceI: nelems is 1152921504606846976, and dst would reach beyond .*; always */
  if (!strcmp(what, "huge nelems")) upc_all_prefix_reduceI(table, table, UPC_ADD, 1UL << 60, 0, NULL, 0);
  /* expect negative blk_size: upc_all_reduceI: blk_size is -2; it is from 0 to 1099511627775; always */
  if (!strcmp(what, "negative blk_size")) upc_all_reduceI(table, table, UPC_ADD, THREADS, -2, NULL, 0);
  /* expect negative nbytes: upc_all_exchange: nbytes is -1, and dst would reach beyond the end of shared memory; always */
  if (!strcmp(what, "negative nbytes")) upc_all_exchange(blocks, blocks, -1, 0);
  /* expect no permutation: upc_all_permute: perm\[[01]\] and perm\[[12]\] are both 0; each thread must be there once; always */
  if (!strcmp(what, "no permutation")) upc_all_permute(blocks, blocks, table, 4, 0);
  if (!strcmp(what, "no receiver")) {
    table[MYTHREAD] = MYTHREAD + 1;
    /* expect no receiver: upc_all_permute: perm.2. is 3; it must be from 0 to 2; always */
    upc_all_permute(blocks, blocks, table, 4, 0);
  }
}

static void copies(const char *what) {
  /* expect overlap: upc_memcpy: src and dst overlap: 16 bytes at offsets 0x\w+ and 0x\w+ of thread 1 */
  if (!strcmp(what, "overlap")) upc_memcpy(&blocks[5], &blocks[4], 16);
  /* expect overlap non-blocking: upc_memcpy_nb: src and dst overlap: 8 bytes */
  if (!strcmp(what, "overlap non-blocking")) upc_sync(upc_memcpy_nb(&block[3], &block[4], 8));
  /* expect overlap of own: upc_memput: the caller's buffer overlaps the 8 bytes */
  if (!strcmp(what, "overlap of own")) upc_memput(&table[MYTHREAD], (char *)&table[MYTHREAD] + 4, 8);
  upc_memcpy(&blocks[4 * MYTHREAD], &blocks[4 * MYTHREAD], 16);
}

static void atomics(const char *what) {
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_INT, UPC_ADD | UPC_GET, 0);
  int one = 1;
  /* expect operation: upc_atomic_relaxed: UPC_SET is not one of the operations .*, which are UPC_GET . UPC_ADD; always */
  if (!strcmp(what, "operation")) upc_atomic_relaxed(domain, &sink, UPC_SET, &table[0], &one, 0);
  /* expect operations: upc_atomic_strict: UPC_GET . UPC_ADD are several operations; always */
  if (!strcmp(what, "operations")) upc_atomic_strict(domain, &sink, UPC_ADD | UPC_GET, &table[0], &one, 0);
  /* expect null atomic: upc_atomic_relaxed: the target is a null pointer-to-shared; always */
  if (!strcmp(what, "null atomic")) upc_atomic_relaxed(domain, &sink, UPC_ADD, NULL, &one, 0);
  /* expect misaligned atomic: upc_atomic_relaxed: the target .* is not aligned to its 4 bytes; always */
  if (!strcmp(what, "misaligned atomic")) upc_atomic_relaxed(domain, &sink, UPC_ADD, (shared [] char *)&table[0] + 1, &one, 0);
  /* expect type: upc_all_atomicdomain_alloc: the type UPC_DOUBLE does not have all of the operations UPC_XOR; always */
  if (!strcmp(what, "type")) upc_all_atomicdomain_alloc(UPC_DOUBLE, UPC_XOR, 0);
  upc_all_atomicdomain_free(domain);
  /* expect freed domain: upc_atomic_relaxed: the atomicity domain has been freed */
  if (!strcmp(what, "freed domain")) upc_atomic_relaxed(domain, NULL, UPC_ADD, &table[0], &one, 0);
  /* expect domain freed twice: upc_all_atomicdomain_free: the atomicity domain has been freed */
  if (!strcmp(what, "domain freed twice")) upc_all_atomicdomain_free(domain);
  /* expect null semaphore: bupc_sem_post: the semaphore is a null pointer; always */
  if (!strcmp(what, "null semaphore")) bupc_sem_post(NULL);
}

/* Calls in which nothing is shared. */
static void handles(const char *what) {
  upc_handle_t handle = upc_memset_nb(&table[MYTHREAD], 0, sizeof(int));
  upc_sync(handle);
  /* expect unwaited get: upc_memget_nb: the handle of this call was never waited for */
  if (!strcmp(what, "unwaited get")) { upc_memget_nb(&sink, &table[0], sizeof sink); exit(0); }
  if (!strcmp(what, "unwaited set of many")) {
    for (int i = 0; i < 1000; i++) upc_sync(upc_memcpy_nb(&table[MYTHREAD], &blocks[4 * MYTHREAD], sizeof(int)));
    /* expect unwaited set of many: bupc_memset_async: the handle of this call was never waited for */
    bupc_memset_async(&table[MYTHREAD], 0, sizeof(int));
    exit(0);
  }
  /* expect unwaited collective: upc_team_broadcast_nb: the handle of this call was never waited for */
  if (!strcmp(what, "unwaited collective")) { upc_team_broadcast_nb(UPC_TEAM_ALL, blocks, table, 4, 0); exit(0); }
  /* expect handle: upc_sync: handle .* was waited for already, or never issued; always */
  if (!strcmp(what, "handle")) upc_sync(0x1234567);
  /* expect handle twice: upc_sync: handle .* was waited for already, or never issued */
  if (!strcmp(what, "handle twice")) upc_sync(handle);
  /* expect thread of allv: bupc_allv_broadcast: there is no thread 77; threads are 0 to 2; always */
  if (!strcmp(what, "thread of allv")) sink = bupc_allv_broadcast(int, sink, 77);
  /* expect distance: bupc_thread_distance: there is no thread -1; .*; always */
  if (!strcmp(what, "distance")) bupc_thread_distance(0, -1);
}

static void teams(const char *what) {
  upc_team_t team = upc_team_split(UPC_TEAM_ALL, 0, MYTHREAD);
  /* expect member of team: upc_team_thread: there is no member 3 in a team of 3; always */
  if (!strcmp(what, "member of team")) upc_team_thread(team, 3);
  /* expect null team source: upc_team_broadcast: src is a null pointer-to-shared; always */
  if (!strcmp(what, "null team source")) upc_team_broadcast(team, blocks, NULL, 16, 0);
  /* expect null team result: upc_team_reduce: dst is a null pointer-to-shared; always */
  if (!strcmp(what, "null team result")) upc_team_reduce(team, NULL, blocks, UPC_ADD, UPC_INT, 1, 0);
  /* expect size of team: upc_team_exchange: nbytes is -1, and dst would reach beyond the end of shared memory; always */
  if (!strcmp(what, "size of team")) upc_team_exchange(team, blocks, blocks, -1, 0);
  /* expect elements of team: upc_team_prefix_reduce_nb: nelems is 2305843009213693952, and dst would reach .*; always */
  if (!strcmp(what, "elements of team")) upc_sync(upc_team_prefix_reduce_nb(team, blocks, blocks, UPC_ADD, UPC_LONG, 1UL << 61, 0));
  /* expect receiver of team: upc_team_permute: to is 4294967296; it must be from 0 to 2; always */
  if (!strcmp(what, "receiver of team")) upc_team_permute(team, blocks, blocks, 1UL << 32, 16, 0);
  upc_team_t part = upc_team_split(team, MYTHREAD > 1, 0);
  /* expect root of team: upc_team_gather: the root, thread 2, is not in the team; always */
  if (!strcmp(what, "root of team")) upc_team_gather(part, &blocks[4 * 2], blocks, 4, 0);
  upc_team_free(part);
  /* expect colour: upc_team_split: the colour is -2; it is at least 0, or UPC_TEAM_NO_COLOR; always */
  if (!strcmp(what, "colour")) upc_team_split(team, -2, 0);
  /* expect stride: upc_team_split_stride: teams of 4294967297, 3 apart, do not cut a team of 3 into equal parts; always */
  if (!strcmp(what, "stride")) upc_team_split_stride(team, (1UL << 32) + 1, 3);
  /* expect list: upc_team_from_list: members.0. and members.2. are both 1; each member may be there once; always */
  if (!strcmp(what, "list")) upc_team_from_list(team, (unsigned int[]){1, 0, 1}, 3);
  /* expect list of others: upc_team_from_list: members.1. is 3; it must be from 0 to 2; always */
  if (!strcmp(what, "list of others")) upc_team_from_list(team, (unsigned int[]){1, 3}, 2);
  /* expect null list: upc_team_from_list: members is a null pointer; always */
  if (!strcmp(what, "null list")) upc_team_from_list(team, NULL, 2);
  /* expect free of all: upc_team_free: UPC_TEAM_ALL is not freed; always */
  if (!strcmp(what, "free of all")) upc_team_free(UPC_TEAM_ALL);
  /* expect team of none: upc_team_rank: team 0 was freed, or never was a team .it is UPC_TEAM_NONE.; always */
  if (!strcmp(what, "team of none")) upc_team_rank(UPC_TEAM_NONE);
  upc_team_free(team);
  /* expect freed team: upc_team_notify: team .* was freed, or never was a team; always */
  if (!strcmp(what, "freed team")) upc_team_barrier(team);
  /* expect no team: upc_team_size: team .* was freed, or never was a team; always */
  if (!strcmp(what, "no team")) upc_team_size(team);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  /* expect early end: thread 1 returned from main with exit code 9 while threads? (0|2|0, 2) waits? at upc_barrier; always */
  if (!strcmp(what, "early end")) { if (MYTHREAD == 1) return 9; else upc_barrier; puts("nothing was wrong"); }
  /* expect early exit: thread 1 called exit.0. while threads? (0|2|0, 2) waits? in upc_all_alloc of 4 bytes; always */
  if (!strcmp(what, "early exit")) { if (MYTHREAD == 1) exit(0); else upc_all_alloc(THREADS, 4); puts("nothing was wrong"); }
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
  copies(what);
  collectives(what);
  atomics(what);
  handles(what);
  teams(what);
  upc_barrier;
  if (MYTHREAD == 0) puts("nothing was wrong");
  return 0;
}
