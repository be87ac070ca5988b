/* cholesky-upc: A = L L^T on threads that have whole block columns, in four variants.
 *
 *   for each block column k, the panel k:
 *     its thread factors its diagonal block, solves for what is below, and gives the panel to all
 *     each thread subtracts from its columns j > k:  A(j.., j) -= L(j.., k) L(j, k)^T
 *
 *   broadcast  non-blocking broadcasts; the next panel is updated, factored and sent before its thread's other columns
 *   blocking   the same without looking ahead
 *   flat       the thread of a panel puts it to each other thread; a semaphore per panel says that it has come
 *   library    weft_la_potrf(), on blocks that are dealt over a grid
 *
 * Block column j lies on thread j % THREADS, from its diagonal block down, by columns: a panel is one array. Each
 * thread has room for all panels, so none is waited for before it is sent. */
#include <bupc_extensions.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <upc.h>
#include <upc_team.h>
#include <weft/linalg.h>

#include "program.h"

la_problem problem;
int64_t n, nb, count;            /* of the matrix; of a block; how many block columns */
double *factor;                  /* all panels one after the other: this thread's columns, and what comes from others */
upc_handle_t *panel_comes;
shared [] double *shared factor_of[THREADS];
bupc_sem_t *shared [] *shared arrivals_of[THREADS];

double element(int64_t i, int64_t j) { return i == j ? (double)n : la_random(1, i > j ? i : j, i > j ? j : i); }

int64_t start(int64_t k) { return k * nb; }
int64_t width(int64_t k) { return start(k) + nb <= n ? nb : n - start(k); }
int64_t height(int64_t k) { return n - start(k); }
int mine(int64_t k) { return k % THREADS == MYTHREAD; }
/* Elements before panel k, and of it: the heights before it are n, n - nb, ... */
int64_t place(int64_t k) { return nb * (k * n - nb * (k * (k - 1) / 2)); }
size_t panel_bytes(int64_t k) { return (size_t)(height(k) * width(k)) * sizeof(double); }

void fill(void) {
  for (int64_t k = MYTHREAD; k < count; k += THREADS)
    for (int64_t j = 0; j < width(k); ++j)
      for (int64_t i = 0; i < height(k); ++i)
        factor[place(k) + i + j * height(k)] = element(start(k) + i, start(k) + j);
}

void make_matrix(void) {
  n = problem.n;
  nb = problem.nb;
  count = (n + nb - 1) / nb;
  factor_of[MYTHREAD] = upc_alloc((size_t)(place(count - 1) + height(count - 1) * width(count - 1)) * sizeof(double));
  factor = (double *)factor_of[MYTHREAD];
  panel_comes = calloc((size_t)count, sizeof *panel_comes);
  arrivals_of[MYTHREAD] = upc_alloc((size_t)count * sizeof(bupc_sem_t *));
  for (int64_t k = 0; k < count; ++k)
    ((bupc_sem_t **)arrivals_of[MYTHREAD])[k] =
        bupc_sem_alloc(BUPC_SEM_INTEGER | BUPC_SEM_SPRODUCER | BUPC_SEM_SCONSUMER);
  upc_barrier;
}

void free_matrix(void) {
  upc_barrier;
  for (int64_t k = 0; k < count; ++k) bupc_sem_free(((bupc_sem_t **)arrivals_of[MYTHREAD])[k]);
  upc_free(arrivals_of[MYTHREAD]);
  upc_free(factor_of[MYTHREAD]);
  free(panel_comes);
}

/* Panel k, to which all before it are applied. */
void factor_panel(int64_t k) {
  double *panel = factor + place(k);
  la_potrf(width(k), panel, height(k));
  la_trsm(height(k) - width(k), width(k), panel, height(k), panel + width(k), height(k));
}

/* Subtracts panel k from block column j; broadcasts go on afterwards. */
void apply_panel(int64_t k, int64_t j) {
  const double *left = factor + place(k) + start(j) - start(k);
  double *column = factor + place(j);
  la_syrk(width(j), width(k), left, height(k), column, height(j));
  la_gemm(1, height(j) - width(j), width(j), width(k), -1, left + width(j), height(k), left, height(k), 1,
          column + width(j), height(j));
  bupc_poll();
}

/* Begins to send panel k, and waits for it; all threads call both. */
typedef struct {
  void (*begin)(int64_t k);
  void (*wait)(int64_t k);
} transport_t;

#define SYNCHRONISED (UPC_IN_MYSYNC | UPC_OUT_MYSYNC)

void begin_broadcast(int64_t k) {
  panel_comes[k] = upc_team_broadcast_nb(UPC_TEAM_ALL, factor_of[MYTHREAD] + place(k),
                                         factor_of[k % THREADS] + place(k), panel_bytes(k), SYNCHRONISED);
}
void wait_broadcast(int64_t k) { upc_sync(panel_comes[k]); }

void begin_flat(int64_t k) {
  if (!mine(k)) return;
  for (int t = 1; t < THREADS; ++t) {
    const int to = (MYTHREAD + t) % THREADS;
    bupc_memput_signal(factor_of[to] + place(k), factor + place(k), panel_bytes(k), arrivals_of[to][k], 1);
  }
}
void wait_flat(int64_t k) {
  if (!mine(k)) bupc_sem_wait(((bupc_sem_t **)arrivals_of[MYTHREAD])[k]);
}

void factor_ahead(transport_t by) {
  if (mine(0)) factor_panel(0);
  by.begin(0);
  for (int64_t k = 0; k < count; ++k) {
    by.wait(k);
    if (k + 1 < count) {
      if (mine(k + 1)) {
        apply_panel(k, k + 1);
        factor_panel(k + 1);
      }
      by.begin(k + 1);
    }
    for (int64_t j = k + 2; j < count; ++j)
      if (mine(j)) apply_panel(k, j);
  }
}

void factor_broadcast(void) { factor_ahead((transport_t){begin_broadcast, wait_broadcast}); }
void factor_flat(void) { factor_ahead((transport_t){begin_flat, wait_flat}); }

void factor_blocking(void) {
  for (int64_t k = 0; k < count; ++k) {
    if (mine(k)) factor_panel(k);
    upc_team_broadcast(UPC_TEAM_ALL, factor_of[MYTHREAD] + place(k), factor_of[k % THREADS] + place(k), panel_bytes(k),
                       SYNCHRONISED);
    for (int64_t j = k + 1; j < count; ++j)
      if (mine(j)) apply_panel(k, j);
  }
}

weft_la_matrix_t *library_a;

void set_element(int64_t i, int64_t j, void *place_, void *unused) { *(double *)place_ = element(i, j); }

void make_library(void) {
  const weft_la_layout_t layout = {WEFT_LA_D, n, n, nb, nb, 0, 0};
  la_check(weft_la_matrix_create(problem.grid, &layout, &library_a), "weft_la_matrix_create");
}

void factor_library(void) {
  int64_t info = 0;
  la_check(weft_la_potrf(WEFT_LA_LOWER, n, weft_la_whole(library_a), &info), "weft_la_potrf");
  la_check((int)info, "weft_la_potrf");
}

/* The library's factor as block columns, as the other variants leave theirs. */
void free_library(void) {
  const weft_la_layout_t dealt = {WEFT_LA_D, n, n, n, nb, 0, 0};
  weft_la_grid_t *one_row;
  weft_la_matrix_t *columns;
  la_check(weft_la_grid_create(WEFT_TEAM_WORLD, 1, THREADS, &one_row), "weft_la_grid_create");
  la_check(weft_la_matrix_create(one_row, &dealt, &columns), "weft_la_matrix_create");
  la_check(weft_la_copy(WEFT_LA_NONE, n, n, weft_la_whole(library_a), weft_la_whole(columns)), "weft_la_copy");
  const weft_la_local_t local = weft_la_matrix_local(columns);
  for (int64_t k = MYTHREAD, first = 0; k < count; first += width(k), k += THREADS)
    for (int64_t j = 0; j < width(k); ++j)
      for (int64_t i = 0; i < height(k); ++i)
        factor[place(k) + i + j * height(k)] = ((double *)local.data)[start(k) + i + (first + j) * local.leading];
  weft_la_matrix_free(columns);
  weft_la_matrix_free(library_a);
  weft_la_grid_free(one_row);
}

double largest_of(const double *x) {
  double most = 0;
  for (int64_t i = 0; i < n; ++i) most = fabs(x[i]) <= most ? most : fabs(x[i]);
  return most;
}

/* |L (L^T x) - A x| / (|A| |x| n eps) in the infinity norm, x random. */
double residual(void) {
  double *x = malloc((size_t)n * sizeof(double)), *sums = calloc((size_t)n, sizeof(double));
  double *ltx = calloc((size_t)n, sizeof(double)), *difference = calloc((size_t)n, sizeof(double));
  for (int64_t i = 0; i < n; ++i) x[i] = la_random(2, i, 0);
  for (int64_t k = MYTHREAD; k < count; k += THREADS)
    for (int64_t j = 0; j < width(k); ++j)
      for (int64_t i = j; i < height(k); ++i)
        ltx[start(k) + j] += factor[place(k) + i + j * height(k)] * x[start(k) + i];
  la_sum(ltx, (size_t)n);
  for (int64_t k = MYTHREAD; k < count; k += THREADS)
    for (int64_t j = 0; j < width(k); ++j) {
      for (int64_t i = j; i < height(k); ++i)
        difference[start(k) + i] += factor[place(k) + i + j * height(k)] * ltx[start(k) + j];
      for (int64_t i = 0; i < n; ++i) {
        const double value = element(i, start(k) + j);
        difference[i] -= value * x[start(k) + j];
        sums[i] += fabs(value);
      }
    }
  la_sum(difference, (size_t)n);
  la_sum(sums, (size_t)n);
  const double found = largest_of(difference) / (largest_of(sums) * largest_of(x) * (double)n * 0x1p-52);
  free(x);
  free(sums);
  free(ltx);
  free(difference);
  return found;
}

int main(int argc, char **argv) {
  const int code = la_read(argc, argv, "cholesky-upc",
                           "Factors a random positive definite matrix in UPC. Start it with upcrun -n THREADS.",
                           &problem);
  if (code >= 0) return code;
  static void (*const factorise[])(void) = {factor_broadcast, factor_flat, factor_blocking, factor_library};
  make_matrix();
  if (problem.variant == LA_LIBRARY) make_library();
  double seconds = INFINITY;
  for (int i = 0; i < problem.repeat; ++i) {
    if (problem.variant == LA_LIBRARY) weft_la_fill(library_a, set_element, NULL);
    else fill();
    upc_barrier;
    const double begin = la_now();
    factorise[problem.variant]();
    const double taken = la_largest(la_now() - begin);
    if (problem.progress && MYTHREAD == 0) printf("repetition %d: %.4f s\n", i + 1, taken);
    seconds = taken < seconds ? taken : seconds;
  }
  if (problem.variant == LA_LIBRARY) free_library();
  const double order = (double)n, found = residual();
  free_matrix();
  return la_tell(&problem, seconds, order * order * order / 3 + order * order / 2, found);
}
