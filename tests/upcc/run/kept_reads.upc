/* Relaxed reads that the compiler does not see together: in functions, lists and loops without a bound. A thread may
 * keep what it has read of other hosts' memory, and must see its own writes, and others' after what orders accesses. */
#include "../check.h"
#include <upc_collective.h>
#if !__UPC_PTHREADS__
#include <pthread.h>
#endif
#define N 700

struct record { char name[24]; double weight; unsigned bit : 5, bits : 11; short numbers[3]; };
struct node { long value; shared [] struct node *next; };
shared [N] long table[N * THREADS];
shared [4] struct record records[4 * THREADS];
shared int flag[THREADS];
shared volatile int changing[THREADS];
shared strict int ready[THREADS];
static int next_thread, previous_thread;

static __attribute__((noinline)) long value_at(long i) { return table[i]; }
static __attribute__((noinline)) void set_at(long i, long value) { table[i] = value; }
static __attribute__((noinline)) shared [] struct record *record_of(int thread, int i) {
  return (shared [] struct record *)&records[4 * thread + i];
}

static void own_writes(void) {
  const long first = (long)next_thread * N;
  for (long i = 0; i < N; i++) set_at(first + i, -i);
  for (long turn = 1; turn <= 3; turn++) {
    long i = 0;
    while (i < N) {
      CHECK_EQUAL(value_at(first + i), -i * turn);
      set_at(first + i, -i * (turn + 1));
      CHECK_EQUAL(value_at(first + i), -i * (turn + 1));
      i++;
    }
  }
  upc_barrier;
  for (int turn = 0; turn < 5; turn++) {
    for (long i = 0; i < N; i += 1 + turn) CHECK_EQUAL(value_at(first + i), turn ? turn * 1000 + i : -4 * i);
    upc_barrier;
    for (long i = 0; i < N; i++) table[(long)MYTHREAD * N + i] = (turn + 1) * 1000 + i;
    upc_barrier;
  }
}

static void members(void) {
  for (int i = 0; i < 4; i++) {
    shared [] struct record *r = record_of(next_thread, i);
    r->weight = i + 0.5;
    r->bit = (unsigned)(i + 1);
    r->bits = (unsigned)(100 * i);
    for (int k = 0; k < 3; k++) r->numbers[k] = (short)(i * k);
    r->name[i] = (char)('a' + i);
    CHECK(r->weight == i + 0.5 && r->bit == (unsigned)(i + 1) && r->bits == (unsigned)(100 * i));
    CHECK(r->numbers[2] == 2 * i && r->name[i] == 'a' + i);
    struct record copy = *r;
    copy.weight += 1;
    *r = copy;
    CHECK(r->weight == i + 1.5 && r->bits == (unsigned)(100 * i));
  }
  upc_barrier;
}

static void list(void) {
  shared [] struct node *head = NULL;
  for (int i = 0; i < 50; i++) {
    shared [] struct node *n = upc_alloc(sizeof *n);
    n->value = i;
    n->next = head;
    head = n;
  }
  static shared [] struct node *shared heads[THREADS];
  heads[MYTHREAD] = head;
  upc_barrier;
  for (int turn = 0; turn < 3; turn++) {
    long sum = 0;
    for (shared [] struct node *n = heads[next_thread]; n != NULL; n = n->next) sum += n->value++;
    CHECK_EQUAL(sum, 50 * 49 / 2 + 50 * turn);
  }
  upc_barrier;
  for (shared [] struct node *n = head; n != NULL;) {
    shared [] struct node *after = n->next;
    upc_free(n);
    n = after;
  }
}

/* Data, then a strict flag: what was read before the flag must not be taken for what was written. */
static void messages(void) {
  for (int turn = 1; turn <= 100; turn++) {
    for (long i = 0; i < 20; i++) (void)value_at((long)previous_thread * N + i);
    for (long i = 0; i < 20; i++) set_at((long)MYTHREAD * N + i, turn * i);
    ready[MYTHREAD] = turn;
    while (ready[previous_thread] < turn) ;
    for (long i = 0; i < 20; i++) CHECK_EQUAL(value_at((long)previous_thread * N + i), turn * i);
    upc_barrier;
  }
}

static __attribute__((noinline)) int flag_of(int thread) { return flag[thread]; }
static void relaxed_flags(void) {
  for (int turn = 1; turn <= 20; turn++) {
    flag[MYTHREAD] = turn;
    long looked = 0;
    while (flag_of(previous_thread) < turn) looked += value_at((long)next_thread * N + 5) != 0;
    CHECK(looked >= 0);
    upc_barrier;
  }
}

/* A volatile object is read each time. */
static void volatile_objects(void) {
  changing[MYTHREAD] = 0;
  upc_barrier;
  CHECK_EQUAL(changing[previous_thread], 0);
  upc_barrier;
  changing[MYTHREAD] = 1;
  upc_fence;
  flag[MYTHREAD] = -1;
  while (flag_of(previous_thread) != -1) ;
  CHECK_EQUAL(changing[previous_thread], 1);
  upc_barrier;
}

#if !__UPC_PTHREADS__
/* Another thread of the program writes what this one has read before. */
static void *write_all(void *turn) {
  for (long i = 0; i < N; i++) set_at((long)next_thread * N + i, i + *(long *)turn);
  return NULL;
}
static void threads_of_the_program(void) {
  for (long turn = 0; turn < 3; turn++) {
    pthread_t thread;
    for (long i = 0; i < N; i++) (void)value_at((long)next_thread * N + i);
    CHECK(pthread_create(&thread, NULL, write_all, &turn) == 0);
    pthread_join(thread, NULL);
    for (long i = 0; i < N; i++) CHECK_EQUAL(value_at((long)next_thread * N + i), i + turn);
  }
}
#else
static void threads_of_the_program(void) {} /* may not */
#endif

int main(void) {
  next_thread = (MYTHREAD + 1) % THREADS;
  previous_thread = (MYTHREAD + THREADS - 1) % THREADS;
  RUN(own_writes);
  RUN(members);
  RUN(list);
  RUN(messages);
  RUN(relaxed_flags);
  RUN(volatile_objects);
  RUN(threads_of_the_program);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
