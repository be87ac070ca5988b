/* Elements of other threads at any places: what the places are computed from changes, or the elements do, in the same
 * loop; places come twice; some iterations do not access any. */
#include <setjmp.h>
#include <upc_relaxed.h>

#include "../check.h"
#define N 2500
struct point {
  int x, y;
};
shared [N] int a[N * THREADS], b[N * THREADS], index_of[N * THREADS];
shared int cyclic[N * THREADS];
shared [N] struct point points[N * THREADS];
static int order[N], half[N], pa[N], pb[N];

static int scramble(int i) { return (int)((unsigned)i * 2654435761u % N); }

static void fill(void) {
  upc_barrier;
  for (int i = 0; i < N; i++) {
    order[i] = scramble(i);
    half[i] = order[i] / 2;
    index_of[MYTHREAD * N + i] = order[i];
    a[MYTHREAD * N + i] = pa[i] = 3 * i;
    b[MYTHREAD * N + i] = pb[i] = i - 7;
    points[MYTHREAD * N + i] = (struct point){i, -i};
    cyclic[i * THREADS + MYTHREAD] = 5 * i;
  }
  upc_barrier;
}
static void check(int first) {
  for (int i = 0; i < N; i++) {
    CHECK_EQUAL(a[first + i], pa[i]);
    CHECK_EQUAL(b[first + i], pb[i]);
  }
}
/* Conditions in which iterations access an element that has a place only if p is there: it must not be computed before
 * the iteration comes to it. */
static jmp_buf out;
static void leave(void) { longjmp(out, 1); }
static int returns_early(int first, const int *p) {
  for (int i = 0; i < N; i++) {
    if (p == NULL) return i;
    if (a[first + p[i]] % 2 == 0) pa[0]++;
  }
  return N;
}
static void without_places(int first, const int *p) {
  int count = 0;
  for (int i = 0; i < N; i++) {
    if (p != NULL && a[first + p[i]] > 0) count++;
  }
  for (int i = 0; i < N; i++) {
    if (p == NULL || a[first + p[i]] > 0) count++;
  }
  for (int i = 0; i < N; i++) {
    if (p != NULL ? a[first + p[i]] > 0 : i % 2) count++;
  }
  CHECK_EQUAL(count, N + N / 2);
  for (int i = 0; i < N; i++) {
    if (p == NULL) {
      count++;
    } else if (a[first + p[i]] > 0) {
      count = 0;
    }
  }
  for (int i = 0; i < N; i++) {
    if (p != NULL) {
      if (a[first + p[i]] > 0) count = 0;
    }
  }
  for (int i = 0; i < N; i++) {
    if (p == NULL) continue;
    if (a[first + p[i]] > 0) count = 0;
  }
  for (int i = 0; i < N; i++) {
    if (p == NULL) break;
    if (a[first + p[i]] > 0) count = 0;
  }
  CHECK_EQUAL(count, 2 * N + N / 2);
  CHECK_EQUAL(returns_early(first, p), 0);
  if (setjmp(out) == 0) {
    for (int i = 0; i < N; i++) {
      if (p == NULL) leave();
      if (a[first + p[i]] > 0) count = 0;
    }
    CHECK(0);
  }
}

/* q may be p. */
static void copy_through(shared [] int *p, shared [] int *q) {
  for (int i = 0; i < N; i++) p[order[i]] = q[half[i]] + 1;
}

int main(void) {
  const int next = (MYTHREAD + 1) % THREADS, first = next * N;
  unsigned long sum = 0, expected = 0; /* what they hash to depends on the order */

  fill();
  for (int i = 0; i < N; i++)
    sum = sum * 3 + a[first + order[i]] + points[first + half[i]].y + cyclic[order[i] * THREADS + next];
  for (int i = 0; i < N; i++) expected = expected * 3 + pa[order[i]] - half[i] + 5 * order[i];
  CHECK_EQUAL(sum, expected);

  /* The last write of a place counts; both kinds in one loop; indices that are shared themselves. */
  for (int i = 0; i < N; i++) b[first + half[i]] = a[first + index_of[first + i]] + i;
  for (int i = 0; i < N; i++) pb[half[i]] = pa[order[i]] + i;
  upc_barrier;
  check(first);

  /* What is read may have been written by an earlier iteration. */
  fill();
  for (int i = 0; i < N; i++) a[first + order[i]] = a[first + half[i]] + 1;
  for (int i = 0; i < N; i++) pa[order[i]] = pa[half[i]] + 1;
  copy_through((shared [] int *)&b[first], (shared [] int *)&b[first]);
  for (int i = 0; i < N; i++) pb[order[i]] = pb[half[i]] + 1;
  for (int i = 0; i < N; i++) b[first + half[i]] += i;
  for (int i = 0; i < N; i++) pb[half[i]] += i;
  upc_barrier;
  check(first);

  /* The indices change as the loop runs. */
  fill();
  int *alias = order;
  sum = expected = 0;
  for (int i = 0; i + 1 < N; i++) {
    sum = sum * 3 + a[first + order[i]];
    alias[i + 1] = (order[i] + i) % N;
  }
  for (int i = 0; i + 1 < N; i++) expected = expected * 3 + pa[order[i]];
  CHECK_EQUAL(sum, expected);
  int at = 1;
  sum = expected = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 3 + a[first + at];
    at = (at * 5 + 1) % N;
  }
  for (int i = 0, k = 1; i < N; i++, k = (k * 5 + 1) % N) expected = expected * 3 + pa[k];
  CHECK_EQUAL(sum, expected);

  /* Some iterations only, members only, an end before the end. */
  fill();
  for (int i = 0; i < N; i++) {
    if (i % 3 == 0) b[first + order[i]] = a[first + half[i]];
    points[first + half[i]].x = i;
  }
  for (int i = 0; i < N; i++) {
    if (i % 3 == 0) pb[order[i]] = pa[half[i]];
  }
  for (int i = 0; i < N; i++) {
    if (i == 17) continue;
    a[first + order[i]] = i;
  }
  for (int i = 0; i < N; i++) pa[order[i]] = i != 17 ? i : pa[order[i]];
  upc_barrier;
  check(first);
  for (int i = 0; i < N; i++) CHECK_EQUAL(points[first + i].y, -i);
  for (int i = 0; i < N; i++) CHECK(half[i] != half[N - 1] || points[first + half[i]].x <= N - 1);

  /* In conditions: every iteration reads, or writes, before it decides; what it does then is no reason not to. */
  fill();
  int *const places = malloc(N * sizeof *places);
  int count = 0, counted = 0;
  for (int i = 0; i < N; i++) places[i] = half[i];
  for (int i = 0; i < N; i++) {
    if (a[first + places[i]] % 2) count++;
    if (cyclic[places[i] * THREADS + next] % 2 && i % 3) count += 2;
    if (!(b[first + places[i]] > 100) || i % 3) count += 5;
    if ((a[first + places[i]] > 50 ? i : places[i]) % 5 == 0) count += 7;
  }
  for (int i = 0; i < N; i++) {
    if (pa[half[i]] % 2) counted++;
    if (5 * half[i] % 2 && i % 3) counted += 2;
    if (!(pb[half[i]] > 100) || i % 3) counted += 5;
    if ((pa[half[i]] > 50 ? i : half[i]) % 5 == 0) counted += 7;
  }
  CHECK_EQUAL(count, counted);
  for (int i = 0; i < N; i++) {
    if ((a[first + order[i]] = 3 * i + 1) % 2 && count > 0) count++;
  }
  for (int i = 0; i < N; i++) pa[order[i]] = 3 * i + 1;
  for (int i = 0; i < N; i++) counted += pa[order[i]] % 2;
  CHECK_EQUAL(count, counted);
  /* What the decision changes: places that come later, elements. */
  for (int i = 0; i < N; i++) {
    if (b[first + places[i]] % 3) places[(i + 1) % N] = i % 7;
    if (a[first + half[i]] % 2) a[first + order[i]] = i;
  }
  for (int i = 0; i < N; i++) {
    if (pb[half[i]] % 3) half[(i + 1) % N] = i % 7;
  }
  for (int i = 0; i < N; i++) CHECK_EQUAL(places[i], half[i]);
  for (int i = 0; i < N; i++) half[i] = order[i] / 2;
  for (int i = 0; i < N; i++) {
    if (pa[half[i]] % 2) pa[order[i]] = i;
  }
  upc_barrier;
  check(first);
  free(places);
  without_places(first, NULL);

  /* In nests, with windows, and where no iteration runs. */
  fill();
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 100 * k; i++) b[first + i] += a[first + order[i]] * k;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 100 * k; i++) pb[i] += pa[order[i]] * k;
  upc_barrier;
  check(first);

  /* What a loop inside reads at no known place may be in a window of the loop around it, written but not back yet. */
  fill();
  for (int i = 0; i < 20; i++) {
    for (int k = 1; k < N; k += 3) a[first + k] = a[first + order[k] % k] + b[first];
    b[first + i] = a[first + N - 3];
  }
  for (int i = 0; i < 20; i++) {
    for (int k = 1; k < N; k += 3) pa[k] = pa[order[k] % k] + pb[0];
    pb[i] = pa[N - 3];
  }
  upc_barrier;
  check(first);

  /* Short loops over the same elements again and again, which are kept after a while: each sees what this thread has
     written before it, and what others had written before the last barrier. */
  fill();
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 40; k++) {
      int sum = 0, right = 0;
      for (int i = 0; i < 50; i++) sum += a[first + order[(7 * k + i) % 400]];
      for (int i = 0; i < 50; i++) right += pa[order[(7 * k + i) % 400]];
      CHECK_EQUAL(sum, right);
      a[first + order[k]] = pa[order[k]] = 1000 * round + k;
    }
    upc_barrier;
    int *own = (int *)&a[N * MYTHREAD];
    for (int i = 0; i < N; i++) own[i] += round + 1;
    for (int i = 0; i < N; i++) pa[i] += round + 1;
    upc_barrier;
  }
  check(first);
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
