// Every header and nearly every function of the UPC libraries, through the compiler. Each check names its line.
#include <upc_strict.h>
#include <upc_relaxed.h>
#include <bupc.h>
#include <bupc_extensions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <upc_atomic.h>
#include <upc_castable.h>
#include <upc_collective.h>
#include <upc_nb.h>
#include <upc_team.h>
#include <upc_tick.h>
#include <upc_types.h>

#define CHECK(c)                                                                \
  do {                                                                          \
    if (!(c)) {                                                                 \
      printf("%s:%d: thread %d: %s\n", __FILE__, __LINE__, MYTHREAD, #c);       \
      upc_global_exit(1);                                                       \
    }                                                                           \
  } while (0)

shared int counter = 17;
shared [4] long blocked[4 * THREADS];
shared long cyclic[8 * THREADS];
shared long *private_pointer = &cyclic[3];
strict shared int flag;
upc_lock_t *lock;
static int add(int a, int b) { return a + b; }

static void heap(void) {
  shared [4] int *a = upc_all_alloc(THREADS, 4 * sizeof(int));
  upc_forall (int i = 0; i < 4 * THREADS; ++i; &a[i]) a[i] = i;
  upc_barrier 1;
  for (int i = 0; i < 4 * THREADS; ++i) CHECK(a[i] == i);
  CHECK(upc_threadof(&a[5 % (4 * THREADS)]) == (5 / 4) % THREADS && upc_phaseof(&a[2]) == 2);
  CHECK(upc_phaseof(upc_resetphase(&a[2])) == 0);
  CHECK(upc_addrfield(&a[1]) - upc_addrfield(&a[0]) == sizeof(int));
  CHECK(upc_affinitysize(16 * THREADS, 16, MYTHREAD) == 16);
  upc_barrier;
  upc_all_free(a);
  shared [] char *mine = upc_alloc(10);
  upc_memset(mine, 'x', 10);
  char text[10];
  upc_memget(text, mine, 10);
  CHECK(text[9] == 'x');
  upc_memput(mine, "abc", 4);
  shared [] char *other = (shared [] char *)upc_global_alloc(1, 10);
  upc_memcpy(other, mine, 4);
  CHECK(other[1] == 'b');
  upc_free(other);
  upc_free(mine);
}

static void locks(void) {
  lock = upc_all_lock_alloc();
  for (int i = 0; i < 50; ++i) {
    upc_lock(lock);
    counter = counter + 1;
    upc_unlock(lock);
  }
  upc_barrier;
  CHECK(counter == 17 + 50 * THREADS);
  while (!upc_lock_attempt(lock)) {}
  upc_unlock(lock);
  upc_lock_t *own = upc_global_lock_alloc();
  CHECK(own != lock && own != NULL);
  upc_lock_free(own);
  upc_all_lock_free(lock);
}

static void collectives(void) {
  cyclic[MYTHREAD] = MYTHREAD + 1;
  upc_all_reduceL(&blocked[0], cyclic, UPC_ADD, THREADS, 1, NULL, UPC_IN_MYSYNC | UPC_OUT_ALLSYNC);
  CHECK(blocked[0] == THREADS * (THREADS + 1) / 2);
  upc_barrier;
  static shared int values[THREADS], sums[THREADS];
  values[MYTHREAD] = 2;
  upc_all_prefix_reduceI(sums, values, UPC_FUNC, THREADS, 1, add, 0);
  CHECK(sums[MYTHREAD] == 2 * (MYTHREAD + 1));
  upc_all_broadcast(sums, &values[THREADS - 1], sizeof(int), 0);
  CHECK(sums[MYTHREAD] == 2);
  CHECK(bupc_allv_reduce_all(int, MYTHREAD, UPC_MAX) == THREADS - 1);
  CHECK(bupc_allv_prefix_reduce(double, 0.5, UPC_ADD) == 0.5 * (MYTHREAD + 1));
  CHECK(bupc_allv_broadcast(long, MYTHREAD + 5, 0) == 5);
  CHECK(bupc_allv_permute(int, MYTHREAD, (MYTHREAD + 1) % THREADS) == (MYTHREAD + THREADS - 1) % THREADS);
  int all[THREADS];
  CHECK(bupc_allv_gather_all(int, MYTHREAD * 2, all)[THREADS - 1] == 2 * (THREADS - 1));
  CHECK(bupc_allv_scatter(int, 0, all) == MYTHREAD * 2);
}

static void teams(void) {
  static shared int values[THREADS], sums[THREADS];
  values[MYTHREAD] = MYTHREAD;
  const upc_team_t team = upc_team_split(UPC_TEAM_ALL, MYTHREAD % 2, MYTHREAD);
  CHECK(upc_team_size(team) == (THREADS + 1 - MYTHREAD % 2) / 2 && upc_team_member(team, MYTHREAD) == MYTHREAD / 2);
  upc_sync(upc_team_broadcast_nb(team, sums, &values[upc_team_thread(team, 0)], sizeof(int), 0));
  CHECK(sums[MYTHREAD] == MYTHREAD % 2);
  upc_team_reduce_all(team, sums, values, UPC_MAX, UPC_INT, 1, UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
  CHECK(sums[MYTHREAD] == upc_team_thread(team, upc_team_size(team) - 1));
  upc_team_notify(team);
  upc_team_wait(team);
  upc_team_free(team);
}

static void atomics(void) {
  static shared long cell;
  static shared [] int * shared head;
  upc_atomicdomain_t *domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_ADD | UPC_GET, 0);
  long one = 1, before;
  for (int i = 0; i < 20; ++i) upc_atomic_relaxed(domain, NULL, UPC_ADD, &cell, &one, NULL);
  upc_barrier;
  upc_atomic_strict(domain, &before, UPC_GET, &cell, NULL, NULL);
  CHECK(before == 20 * THREADS);
  upc_all_atomicdomain_free(domain);
  static shared uint64_t word;
  bupc_atomicU64_fetchadd_relaxed(&word, 3);
  upc_barrier;
  CHECK(bupc_atomicU64_read_strict(&word) == 3 * THREADS);
  CHECK(head == NULL);
}

static void semaphores(void) {
  static shared [] bupc_sem_t *shared sems[THREADS];
  static shared [64] char boxes[64 * THREADS];
  upc_sem_t *mine = upc_sem_alloc(UPC_SEM_INTEGER | UPC_SEM_MPRODUCER);
  static upc_sem_t *shared all[THREADS];
  (void)sems;
  all[MYTHREAD] = mine;
  upc_barrier;
  const int next = (MYTHREAD + 1) % THREADS;
  upc_memput_signal(&boxes[64 * next], "hello", 6, all[next], 1);
  bupc_sem_wait(mine);
  CHECK(!strcmp((char *)&boxes[64 * MYTHREAD], "hello"));
  upc_barrier;
  upc_sem_free(mine);
}

static void non_blocking(void) {
  static shared [100] char area[100 * THREADS];
  const int next = (MYTHREAD + 1) % THREADS;
  upc_handle_t h = upc_memput_nb(&area[100 * next], "nb", 3);
  upc_sync(h);
  upc_memset_nbi(&area[100 * next + 10], 'z', 5);
  upc_synci();
  bupc_handle_t b = bupc_memput_async(&area[100 * next + 20], "async", 6);
  bupc_waitsync(b);
  size_t strides[] = {10}, dense[] = {2}, count[] = {2, 3};
  bupc_memput_strided(&area[100 * next + 40], strides, "aabbcc", dense, count, 1);
  upc_barrier;
  char *own = upc_cast(&area[100 * MYTHREAD]);
  CHECK(!strcmp(own, "nb") && own[14] == 'z' && !strcmp(own + 20, "async") && own[50] == 'b' && own[61] == 'c');
  CHECK(upc_thread_info(MYTHREAD).guaranteedCastable == UPC_CASTABLE_ALL);
  upc_tick_t t = upc_ticks_now();
  CHECK(upc_ticks_to_ns(upc_ticks_now() - t) < 1000000000u);
  CHECK(bupc_thread_distance(MYTHREAD, MYTHREAD) == BUPC_THREADS_SAME);
  bupc_poll();
  CHECK(bupc_cast(bupc_local_to_shared(own, MYTHREAD, 0)) == own);
  char text[BUPC_DUMP_MIN_LENGTH];
  CHECK(bupc_dump_shared(&area[5], text, sizeof text) == 0);
}

int main(int argc, char **argv) {
  CHECK(counter == 17 && private_pointer == &cyclic[3]);
  upc_barrier;
  heap();
  locks();
  collectives();
  teams();
  atomics();
  semaphores();
  non_blocking();
  if (MYTHREAD == 0) puts("libraries are right");
  if (argc > 1 && !strcmp(argv[1], "unlock")) upc_unlock(upc_global_lock_alloc());
  if (argc > 1 && !strcmp(argv[1], "null")) { shared int *p = NULL; return *p; }
  if (argc > 1 && !strcmp(argv[1], "barrier")) upc_barrier MYTHREAD;
  return 0;
}
