/* Nests of loops over other threads' memory: the same loops over private arrays say what is right. */
#include <upc_relaxed.h>

#include "../check.h"
#define R 12
#define C 20
shared [R * C] int a[THREADS * R][C], b[THREADS * C][R];
shared [R] int x[THREADS * R];
shared int y[THREADS * C];
static int pa[R][C], pb[C][R], px[R], py[C];

/* Rows and elements of the thread that the arrays begin at: of a private array all. */
#define NESTS(name, a, b, x, y, ROW, COLUMN, X, Y)                                                                   \
  static void name(int n, int m) {                                                                                   \
    int j;                                                                                                           \
    for (int i = 0; i < n; i++)                                                                                      \
      for (j = 0; j < m; j++) x[X(i)] += a[ROW(i)][j] * y[Y(j)];                      /* y is the same for all i */  \
    for (int i = 1; i < n - 1; i++)                                                                                  \
      for (int k = 1; k < m - 1; k++) a[ROW(i)][k] = a[ROW(i - 1)][k] + a[ROW(i + 1)][k - 1] - a[ROW(i)][k + 1];     \
    for (int i = 0; i < n; i++)                                                                                      \
      for (int k = 0; k < m; k++) b[COLUMN(k)][i] = a[ROW(i)][k];                     /* transposes */               \
    for (int k = m - 1; k >= 0; k--)                                                                                 \
      for (int i = n - 1; i >= 0; i--) a[ROW(i)][k] -= b[COLUMN(k)][i] / 2;           /* backward, column by column */ \
    for (int i = 0; i < n; i++) {                                                                                    \
      for (int k = 0; k <= i && k < m; k++) a[ROW(i)][k] += i;                        /* a triangle */               \
      for (int k = i; k < m; k++) a[ROW(i)][k] += 2 * k;                                                             \
    }                                                                                                                \
    for (int i = 0, limit = m; i < n; i++) {                                                                         \
      for (int k = 0; k < limit; k++) y[Y(k)] += a[ROW(i)][k];                        /* fewer each time */          \
      limit -= i % 2;                                                                                                \
    }                                                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      for (int k = 0; k < m; k += 3) y[Y(k)] = x[X(i)] + k;                           /* two loops, one index */     \
      for (int k = 1; k < m; k += 3) y[Y(k)] = y[Y(k - 1)] + x[X(0)];                                                \
      x[X(i)] = y[Y(m - 1)];                                                          /* those read it */            \
    }                                                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      for (int k = 0; k < m; k++) {                                                                                  \
        if (a[ROW(i)][k] % 3 == 0) a[ROW(i)][k] = 1;                                  /* some of them */             \
        if (k % 2) continue;                                                                                         \
        b[COLUMN(k)][i]++;                                                                                           \
      }                                                                                                              \
      if (i % 4 == 3)                                                                                                \
        for (int k = 0; k < m; k++) b[COLUMN(k)][0] += i;                                                            \
    }                                                                                                                \
    for (int i = 0; i < n; i++)                                                                                      \
      for (int k = 0; k < 0 * m; k++) a[ROW(i)][k] = -1;                              /* never */                    \
    for (int i = 0; i < n / 2; i++)                                                                                  \
      for (int k = 0; k < m; k++)                                                                                    \
        for (int l = 0; l < 2; l++) a[ROW(2 * i + l)][k] += b[COLUMN(k)][i] + l * x[X(i)];                           \
  }
#define ROW_OF_NEXT(i) (((MYTHREAD + 1) % THREADS) * R + (i))
#define COLUMN_OF_NEXT(k) (((MYTHREAD + 1) % THREADS) * C + (k))
#define CYCLIC_OF_NEXT(k) ((k) * THREADS + (MYTHREAD + 1) % THREADS)
#define SAME(i) (i)
NESTS(shared_nests, a, b, x, y, ROW_OF_NEXT, COLUMN_OF_NEXT, ROW_OF_NEXT, CYCLIC_OF_NEXT)
NESTS(private_nests, pa, pb, px, py, SAME, SAME, SAME, SAME)

/* Through pointers that may be anything. */
static void multiply(shared [] int *to, shared [] int *matrix, shared [] int *vector, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) to[i] += matrix[i * n + k] % 7 * vector[k];
}
static void multiply_private(int *to, int *matrix, int *vector, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) to[i] += matrix[i * n + k] % 7 * vector[k];
}

/* A loop inside that does not run: what it would look through is not there. */
struct list {
  shared [] int *numbers;
  struct list *next;
};
static int look_through(struct list *l, int n, int m) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) sum += l->next->numbers[k] + i;
  return sum;
}

static void fill(void) {
  upc_barrier;
  for (int i = 0; i < R; i++) {
    px[i] = x[MYTHREAD * R + i] = 3 * i + 1;
    for (int k = 0; k < C; k++) {
      pa[i][k] = a[MYTHREAD * R + i][k] = i * 7 + k;
      pb[k][i] = b[MYTHREAD * C + k][i] = i - k;
      py[k] = y[k * THREADS + MYTHREAD] = k * k;
    }
  }
  upc_barrier;
}

static void check(void) {
  upc_barrier;
  for (int i = 0; i < R; i++) {
    CHECK_EQUAL(x[MYTHREAD * R + i], px[i]);
    for (int k = 0; k < C; k++) {
      CHECK_EQUAL(a[MYTHREAD * R + i][k], pa[i][k]);
      CHECK_EQUAL(b[MYTHREAD * C + k][i], pb[k][i]);
      CHECK_EQUAL(y[k * THREADS + MYTHREAD], py[k]);
    }
  }
}

int main(void) {
  const int sizes[][2] = {{R, C}, {1, C}, {R, 3}, {2, 4}, {0, C}};
  for (int s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); s++) {
    fill();
    shared_nests(sizes[s][0], sizes[s][1] + 0 * MYTHREAD);
    private_nests(sizes[s][0], sizes[s][1]);
    check();
  }
  const int next = (MYTHREAD + 1) % THREADS;
  for (int shift = 0; shift < 3; shift++) {
    fill();
    shared [] int *matrix = (shared [] int *)&a[next * R][0];
    multiply(matrix + 20 + shift, matrix, matrix + 18, 6); /* onto itself and the vector */
    multiply_private(&pa[0][0] + 20 + shift, &pa[0][0], &pa[0][0] + 18, 6);
    check();
  }
  struct list second = {(shared [] int *)&a[next * R][0], NULL}, first = {NULL, &second};
  int sum = 0;
  for (int k = 0; k < C; k++) sum += 3 * pa[0][k] + 3;
  CHECK_EQUAL(look_through(&first, 3, C), sum);
  CHECK_EQUAL(look_through(&second, 3, 0 * MYTHREAD), 0);
  upc_barrier;
  if (MYTHREAD == 0) puts("PASS");
  return 0;
}
