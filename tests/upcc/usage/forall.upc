// Barriers, collective functions and unprotected updates in upc_forall.
# 1 "upc.h" 1 3
typedef shared struct upcr_lock upc_lock_t;
void upc_lock(upc_lock_t *lock);
void upc_unlock(upc_lock_t *lock);
void upc_all_broadcast(shared void *to, shared const void *from, unsigned long n, int flags);
extern double sqrt(double);
# 9 "forall.upc" 2
shared int a[THREADS], count, other, histogram[10 * THREADS];
shared [] double sums[4];
shared struct { int n; double total; } state;
strict shared int strictly;
upc_lock_t *lock;
extern int user(int);
extern void enter_critical(void);

void meetings(int n) {
  upc_forall (int i = 0; i < n; i++; &a[i]) {
    upc_barrier;  // expect-warning: 'upc_barrier' in the body of upc_forall: no iteration has all threads [-Wupc-forall-barrier]
    upc_fence;
    if (i) upc_all_broadcast(a, a, 4, 0);  // expect-warning: the collective 'upc_all_broadcast' in the body of upc_forall: no iteration has all threads [-Wupc-forall-barrier]
    upc_forall (int k = 0; k < n; k++; k) upc_notify;  // expect-warning: 'upc_notify' in the body of upc_forall: no iteration has all threads [-Wupc-forall-barrier]
  }
  upc_forall (int i = 0; i < n; i++; continue) upc_barrier;
  upc_forall (int i = 0; i < n; i++;) upc_barrier;
  upc_forall (int i = 0; i < n; i++; MYTHREAD) upc_barrier;
}

void updates(int n) {
  upc_forall (int i = 0; i < n; i++; i) count++;  // expect-warning: unprotected update of shared 'count' in upc_forall: threads lose each other's changes; use a lock, <upc_atomic.h> or a reduction [-Wupc-forall-race]
  upc_forall (int i = 0; i < n; i++; &a[i]) {
    if (a[i] > 3) sums[0] += sqrt(a[i]);  // expect-warning: unprotected update of shared 'sums' in upc_forall: threads lose each other's changes; use a lock, <upc_atomic.h> or a reduction [-Wupc-forall-race]
    for (int k = 0; k < 3; k++) --state.n;  // expect-warning: unprotected update of shared 'state' in upc_forall: threads lose each other's changes; use a lock, <upc_atomic.h> or a reduction [-Wupc-forall-race]
    strictly |= 1;  // expect-warning: unprotected update of shared 'strictly' in upc_forall: threads lose each other's changes; use a lock, <upc_atomic.h> or a reduction [-Wupc-forall-race]
  }
}

void of_one_thread(int n) {
  upc_forall (int i = 0; i < n; i++; &count) count++;
  upc_forall (int i = 0; i < n; i++; 0) count++;
  upc_forall (int i = 0; i < 1; i++; i) count++;
  upc_forall (int i = 0; i < n; i++; i) {
    if (MYTHREAD == 0) count++;
    if (i == 0) count++;
    if (!i) count++;
    if (THREADS == 1) count++;
    switch (MYTHREAD) { case 0: count++; }
  }
}
void elements(int n) {
  upc_forall (int i = 0; i < n; i++; &a[i]) {
    a[i]++;
    histogram[a[i]]++;
    count = i;
    int own = 0;
    own++;
  }
}
void with_lock(int n) {
  upc_forall (int i = 0; i < n; i++; i) {
    upc_lock(lock);
    count++;
    upc_unlock(lock);
  }
}
void with_section(int n) {
  enter_critical();
  upc_forall (int i = 0; i < n; i++; i) count++;
}
void with_unknown(int n) {
  upc_forall (int i = 0; i < n; i++; i) { user(1); count++; }
}
void outside(int n) {
  for (int i = 0; i < n; i++) count++;
}
