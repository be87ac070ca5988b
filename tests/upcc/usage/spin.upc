// Loops that wait for relaxed memory, and loops that may.
# 1 "upc.h" 1 3
void upc_free(shared void *p);
void upc_all_free(shared void *p);
void bupc_poll(void);
# 7 "spin.upc" 2
shared int flag, a[THREADS], n;
strict shared int ready;
shared volatile int seen;
struct node { shared struct node *next; };
extern int user(void);
volatile int stop;

void waits(shared struct node *q) {
  while (!flag) ;  // expect-warning: loop waits for the relaxed 'flag', which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence after the loop [-Wupc-spin]
  while (a[MYTHREAD] == 0) { }  // expect-warning: loop waits for the relaxed shared object, which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence after the loop [-Wupc-spin]
  do ; while (flag != 3);  // expect-warning: loop waits for the relaxed 'flag', which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence after the loop [-Wupc-spin]
  for (int spins = 0; !flag; spins++) ;  // expect-warning: loop waits for the relaxed 'flag', which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence after the loop [-Wupc-spin]
  int spins = 0;
  while (!flag) { for (int k = 0; k < 100; k++) ; spins++; }  // expect-warning: loop waits for the relaxed 'flag', which orders nothing: what was written before it may be seen later; declare it strict, or use upc_fence after the loop [-Wupc-spin]
}
void may(shared int *p) {
  while (!ready) ;
  while (!seen) ;
  while (!flag) upc_fence;
  while (!flag) bupc_poll();
  while (user() && !flag) ;
  while (!flag && !stop) ;
  while (!flag) { if (ready) break; }
  for (int i = 0; i < 10 && !flag; i++) ;
  while (n) n--;
  while (*p) p++;
  for (int i = n; i != 0; i = a[i]) ;
  while (flag) { a[0] = 1; flag = 0; }
  while (!stop) ;
}
#pragma upc strict
void strictly(void) { while (!flag) ; }
#pragma upc relaxed

shared [] int *shared list;
void frees(shared void *p, shared int *q) {
  upc_free(a);  // expect-warning: 'upc_free' of 'a', which is declared and not allocated: only memory of upc_alloc and its like is freed [-Wfree-nonheap-object]
  upc_all_free(&a[3]);  // expect-warning: 'upc_all_free' of 'a', which is declared and not allocated: only memory of upc_alloc and its like is freed [-Wfree-nonheap-object]
  upc_free(&flag);  // expect-warning: 'upc_free' of 'flag', which is declared and not allocated: only memory of upc_alloc and its like is freed [-Wfree-nonheap-object]
  upc_free(p);
  upc_free(q);
  upc_free(list);
  upc_free(0);
}
