/* Warnings about lines that access shared memory. run_programs.py reads the comments at their ends. */
#include <assert.h>
#include <stdio.h>
#include <upc_nb.h>
#include <upc_relaxed.h>
#define N 10
shared [N] double a[N * THREADS];
shared int counter, *next;
static void unused_function(void) { counter++; } /* -Wunused-function */
struct node { shared struct node *next; int value; };

static int falls_off(int i) {
  if (a[i] > 3) return 1;
} /* -Wreturn-type */
static int takes(int used, int unused) { return used + counter; } /* -Wunused-parameter */

int main(void) {
  struct { int words[2][2]; } pair = {{{0}}};
  int unused_private; /* -Wunused-variable */
  int set_only = counter; /* -Wunused-but-set-variable */
  int unset;
  unsigned limit = 3;
  int from_double = a[3]; /* -Wfloat-conversion */
  short narrow = counter; /* gcc: -Wconversion clang: -Wimplicit-int-conversion */
  set_only = 4 + counter;
  printf("%d\n", a[0]); /* gcc: -Wformat= clang: -Wformat */
  printf("%s %d\n", "text", unset + counter); /* -Wuninitialized */
  if (counter < limit) counter++; /* -Wsign-compare */
  upc_forall (int i = 0; i < N * THREADS; i++; &a[i]) {
    int unused_inside; /* -Wunused-variable */
    a[i] = i;
  }
  upc_forall (int i = 0; i < N * THREADS; i++; i) printf("%ld\n", a[i]); /* gcc: -Wformat= clang: -Wformat */
  upc_forall (;; ; continue) { break; } /* -Wupc-forall-jump */
  a[0]; /* -Wunused-value */
  if (next = NULL) narrow++; /* -Wparentheses */
  if (counter) upc_barrier; else upc_barrier 7 + counter;
  upc_notify 1;
  upc_wait 1;
  upc_fence;
  upc_memget(&narrow, &a[0], sizeof a[0]); /* -Wstringop-overflow */
  upc_memput(&a[0], &narrow, sizeof a[0]); /* -Wstringop-overread */
  upc_memset(&counter, 0, 2 * sizeof(int)); /* -Wstringop-overflow */
  upc_memput(&a[1], &pair.words[0][1], sizeof a[0]);
  upc_sync(upc_memget_nb(pair.words[0], (shared char *)&a[1] + 4, N * sizeof a[0] + 1)); /* -Wstringop-overflow -Wstringop-overread */
  assert(a[0] != 3 && next != NULL);
  return falls_off(narrow) + takes(1, 2) + from_double;
}
