// Barriers and collective functions that some threads do not reach, and such as all do.
# 1 "upc.h" 1 3
shared void *upc_all_alloc(unsigned long n, unsigned long bytes);
void upc_all_free(shared void *p);
void upc_free(shared void *p);
extern void exit(int) __attribute__((noreturn));
extern int printf(const char *, ...);
# 9 "barrier.upc" 2
extern void worker(void);
shared int a[THREADS];
shared void *p;

void one_side(int root, int verbose) {
  if (MYTHREAD == 0) upc_barrier;  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
}
void other_side(int root) {
  if (root != MYTHREAD) {
    printf("%d\n", a[0]);
  } else {
    printf("root\n");
    upc_notify 1;  // expect-warning: not all threads reach 'upc_notify' [-Wupc-barrier]
    upc_wait 1;
  }
}
void collective(void) {
  if (!MYTHREAD) p = upc_all_alloc(THREADS, 4);  // expect-warning: not all threads reach the collective 'upc_all_alloc' [-Wupc-barrier]
}
void by_variable(int verbose) {
  int me = MYTHREAD;
  while (verbose--) {
    if (me > 0 && verbose) { upc_barrier; }  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
  }
}
void parts(void) {
  if (MYTHREAD % 2 == 0) {
    if (a[0]) { upc_barrier; }  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
  }
}
void last(void) {
  if (MYTHREAD < THREADS - 1) upc_barrier;  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
}
int returns(void) {
  if (MYTHREAD != 0) return 0;
  printf("%d\n", a[0]);
  upc_barrier;  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
  return 1;
}

// Nothing to say about these.
void both(void) {
  if (MYTHREAD == 0) { printf("0\n"); upc_barrier; } else { upc_barrier; }
  if (MYTHREAD == 0) { upc_notify; upc_wait; } else upc_barrier;
}
void complement(void) {
  if (MYTHREAD == 0) upc_barrier;
  if (MYTHREAD != 0) { printf("not 0\n"); upc_barrier; }
}
void in_turn(void) {
  for (int i = 0; i < THREADS; i++) {
    if (MYTHREAD == i) printf("%d\n", i);
    upc_barrier;
  }
  for (int i = 0; i < THREADS; i++)
    if (MYTHREAD == i) upc_barrier;
}
void unknown_calls(void) {
  if (MYTHREAD == 0) upc_barrier; else worker();
}
void bounds(int n, int k) {
  if (MYTHREAD < n) upc_barrier;
  if (MYTHREAD >= 0) upc_barrier;
  if (MYTHREAD < THREADS) upc_barrier;
  if (MYTHREAD == 0 || n) upc_barrier;
  if (MYTHREAD % k) upc_barrier;
  if (n) upc_barrier;
}
void changed(void) {
  int me = MYTHREAD;
  me = 0;
  if (me == 0) upc_barrier;
}
void leaves(int n) {
  if (MYTHREAD == 0) { upc_barrier; return; }
  upc_barrier;
}
int reports(int n) {
  if (MYTHREAD == 0 && n == 0) return -1;
  upc_barrier;
  if (MYTHREAD == 0) { worker(); return 0; }
  upc_barrier;
  if (MYTHREAD == 0) exit(1);
  upc_barrier;
  return 1;
}
void fence_and_free(void) {
  if (MYTHREAD == 0) upc_fence;
  if (MYTHREAD == 0) upc_free(p);
}
void several(int n) {
  switch (MYTHREAD) { case 0: upc_barrier; break; default: upc_barrier; }
  if (MYTHREAD == 0) goto out;
  upc_barrier;
  return;
out:
  upc_barrier;
}
int main(int argc, char **argv) {
  if (MYTHREAD == 0) return 1;
  upc_barrier;
  if (argc == 2 && MYTHREAD == 1) return 3;
  upc_barrier;
  if (argc == 3 && MYTHREAD == 1) return 0;
  upc_barrier;  // expect-warning: not all threads reach 'upc_barrier' [-Wupc-barrier]
  return 0;
}
# 1 "upc_third.h" 1 3
static inline void in_header(void) { if (MYTHREAD == 0) upc_barrier; }
