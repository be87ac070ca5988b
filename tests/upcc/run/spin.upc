/* Loops that wait for another thread on a relaxed variable end. */
#include "../check.h"
#define N 200
shared int go, turn[THREADS], stop;
shared [] int *shared directory;
struct state { int filler; unsigned bit : 3; short ready; };
shared struct state states[THREADS];
static int ready(void) { return go != 0; }
static void nothing(void) {}

static void spin_while(void) {
  if (MYTHREAD == THREADS - 1) go = 1;
  while (!go) ;
  upc_barrier;
  if (MYTHREAD == 0) go = 0;
}
static void spin_do(void) {
  int v;
  if (MYTHREAD == THREADS - 1) go = 1;
  do v = go; while (!v);
  upc_barrier;
  if (MYTHREAD == 0) go = 0;
}
static void spin_for(void) {
  if (MYTHREAD == THREADS - 1) go = 1;
  for (; !go;) ;
  for (;;) if (go) break;
  upc_barrier;
  if (MYTHREAD == 0) go = 0;
}
static void spin_goto(void) {
  if (MYTHREAD == THREADS - 1) go = 1;
again:
  if (!go) goto again;
  upc_barrier;
  if (MYTHREAD == 0) go = 0;
}
static void spin_in_a_function(void) {
  if (MYTHREAD == THREADS - 1) go = 1;
  while (!ready()) nothing();
  upc_barrier;
  if (MYTHREAD == 0) go = 0;
}
static void spin_in_a_planned_loop(void) {
  for (int k = 0; k < N; k++) {
    if (k % THREADS == MYTHREAD) turn[MYTHREAD] = k + 1;
    while (turn[k % THREADS] < k + 1) ;
    for (; turn[k % THREADS] < k + 1;) ;
  }
  upc_barrier;
  turn[MYTHREAD] = 0;
}
static void spin_on_own(void) {
  shared int *p = &turn[MYTHREAD];
  if (MYTHREAD != 0) turn[MYTHREAD - 1] = 1; else turn[THREADS - 1] = 1;
  if (upc_threadof(p) == MYTHREAD) while (*p == 0) ;
  upc_barrier;
  upc_forall (int i = 0; i < THREADS; i++; &turn[i]) {
    turn[(i + 1) % THREADS] = 2;
    while (turn[i] != 2) ;
  }
  upc_barrier;
  turn[MYTHREAD] = 0;
}
/* Each says what it has and waits for the other: the store may not wait for the end of the loop either. */
static void tell_and_wait(void) {
  const int left = (MYTHREAD + THREADS - 1) % THREADS;
  do turn[MYTHREAD] = 7; while (turn[left] != 7);
  upc_barrier;
  turn[MYTHREAD] = 0;
}
static void spin_on_members(void) {
  const int left = (MYTHREAD + THREADS - 1) % THREADS;
  states[left].ready = 1;
  while (!states[MYTHREAD].ready) ;
  upc_barrier;
  states[MYTHREAD].bit = 5;
  while (states[left].bit != 5) ;
}
static void spin_on_a_pointer(void) {
  if (MYTHREAD == THREADS - 1) {
    shared [] int *p = upc_alloc(sizeof(int));
    *p = 3;
    upc_fence;
    directory = p;
  }
  while (directory == NULL) ;
  upc_fence;
  CHECK_EQUAL(*directory, 3);
}
static void poll_with_return(void) {
  /* bounded, but no use if it looks only once */
  if (MYTHREAD == THREADS - 1) stop = 1;
  for (long i = 0; i < 4000000000l; i++)
    if (stop) return;
  CHECK(!"never seen");
}

int main(void) {
  RUN(spin_while);
  RUN(spin_do);
  RUN(spin_for);
  RUN(spin_goto);
  RUN(spin_in_a_function);
  RUN(spin_in_a_planned_loop);
  RUN(spin_on_own);
  RUN(tell_and_wait);
  RUN(spin_on_members);
  RUN(spin_on_a_pointer);
  RUN(poll_with_return);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
