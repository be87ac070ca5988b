/* Loops over a thread's own elements, in each way to say which are its own, on a cyclic and on a blocked array: few of
 * them, which shows what a loop's start takes, N, and many. By hand: private pointers to the thread's part. The twin is
 * plain C. */
#include "measure.h"

#define BLOCK 64
shared double x[MANY * THREADS], y[MANY * THREADS];
shared [BLOCK] double u[MANY * THREADS], v[MANY * THREADS];
static int n; /* elements of each thread that a call handles */

static void prepare(void) {
  double *parts[] = {(double *)&x[MYTHREAD], (double *)&y[MYTHREAD], (double *)&u[MYTHREAD * BLOCK],
                     (double *)&v[MYTHREAD * BLOCK]};
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < n; i++) parts[a][i] = input(MYTHREAD * n + i + a % 2);
}

static void cyclic_index(void) {
  upc_forall (int i = 0; i < n * THREADS; i++; i) y[i] += 2 * x[i];
}
static void cyclic_address(void) {
  upc_forall (int i = 0; i < n * THREADS; i++; &x[i]) y[i] += 2 * x[i];
}
static void cyclic_continue(void) {
  for (int i = 0; i < n * THREADS; i++) {
    if (i % THREADS != MYTHREAD) continue;
    y[i] += 2 * x[i];
  }
}
static void cyclic_threadof(void) {
  for (int i = 0; i < n * THREADS; i++)
    if (upc_threadof(&x[i]) == MYTHREAD) y[i] += 2 * x[i];
}
static void cyclic_pointer(void) {
  shared double *p = x, *q = y;
  upc_forall (int i = 0; i < n * THREADS; i++; p + i) *(q + i) += 2 * *(p + i);
}
static void cyclic_hand(void) {
  const double *from = (const double *)&x[MYTHREAD];
  double *to = (double *)&y[MYTHREAD];
  for (int i = 0; i < n; i++) to[i] += 2 * from[i];
}

static void blocked_quotient(void) {
  upc_forall (int i = 0; i < n * THREADS; i++; i / BLOCK) v[i] += 2 * u[i];
}
static void blocked_address(void) {
  upc_forall (int i = 0; i < n * THREADS; i++; &u[i]) v[i] += 2 * u[i];
}
static void blocked_continue(void) {
  for (int i = 0; i < n * THREADS; i++) {
    if (i / BLOCK % THREADS != MYTHREAD) continue;
    v[i] += 2 * u[i];
  }
}
static void blocked_threadof(void) {
  for (int i = 0; i < n * THREADS; i++)
    if (upc_threadof(&u[i]) == MYTHREAD) v[i] += 2 * u[i];
}
static void blocked_pointer(void) {
  shared [BLOCK] double *p = u, *q = v;
  upc_forall (int i = 0; i < n * THREADS; i++; p + i) *(q + i) += 2 * *(p + i);
}
static void blocked_hand(void) {
  const double *from = (const double *)&u[MYTHREAD * BLOCK];
  double *to = (double *)&v[MYTHREAD * BLOCK];
  for (int i = 0; i < n; i++) to[i] += 2 * from[i];
}

#define FORM(layout, form) {"own_" #layout "_" #form, layout##_##form, layout##_hand}
static const struct form {
  const char *name;
  void (*naive)(void), (*hand)(void);
} forms[] = {FORM(cyclic, index),     FORM(cyclic, address),   FORM(cyclic, continue),  FORM(cyclic, threadof),
             FORM(cyclic, pointer),   FORM(blocked, quotient), FORM(blocked, address),  FORM(blocked, continue),
             FORM(blocked, threadof), FORM(blocked, pointer)};

static void measure(int elements) {
  n = elements;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char name[40];
    snprintf(name, sizeof name, n == N ? "%s" : "%s_%d", forms[i].name, n);
    const void *result = forms[i].hand == cyclic_hand ? (const void *)&y[MYTHREAD] : (const void *)&v[MYTHREAD * BLOCK];
    bench_kernel((kernel){name, (size_t)n, 1, OWN_ELEMENTS / n, forms[i].naive, forms[i].hand, result, (size_t)n},
                 prepare);
  }
}

int main(int argc, char **argv) {
  bench_start_hosts(argc, argv);
  measure(FEW);
  measure(N);
  measure(MANY);
  return bench_finish_hosts();
}
