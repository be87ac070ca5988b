/* matmul-upc: C = A B on a grid of threads (SUMMA), in four variants.
 *
 *   for each block column k of A and block row k of B, the panels k:
 *     the threads that have panel k of A give it to their rows, those that have panel k of B to their columns
 *     C += panel of A * panel of B, on each thread for its part of C
 *
 *   broadcast  non-blocking broadcasts in the teams of rows and columns, some panels ahead of the computation
 *   blocking   the same, one panel after the other
 *   flat       each thread puts all its panels to all that need them at once; a semaphore per panel says it is here
 *   library    weft_la_gemm()
 *
 * The three matrices are dealt in blocks of nb x nb over the grid. A thread keeps its part of A by columns, so that a
 * panel of it is one array, and its part of B by block rows, for the same reason. */
#include <bupc_extensions.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <upc.h>
#include <upc_team.h>
#include <weft/linalg.h>

#include "program.h"

enum {
  AHEAD = 3,  /* panels whose broadcasts are under way */
  PIECE = 512 /* rows and columns of C that are multiplied at once */
};

typedef struct {
  bupc_sem_t *left, *right;
} arrival_t;

la_problem problem;
int64_t n, nb, panels;                /* of the matrices; of a block; how many block columns of A */
int64_t row, column;                  /* of this thread in the grid */
int64_t my_rows, my_columns;          /* of C, and so of A's rows and B's columns */
upc_team_t row_team, column_team;     /* member numbers are columns and rows */
double *a, *b, *c;                    /* this thread's parts */
double *left, *right;                 /* all panels of A for my rows, all panels of B for my columns */
shared [] double *shared a_of[THREADS], *shared b_of[THREADS], *shared left_of[THREADS], *shared right_of[THREADS];
shared [] arrival_t *shared arrivals_of[THREADS];

/* Of `extent` indices in blocks, dealt over `parts`, those that are on one of them, and the index of one of these. */
int64_t count_on(int64_t extent, int64_t part, int64_t parts) {
  int64_t count = 0;
  for (int64_t start = part * nb; start < extent; start += parts * nb)
    count += start + nb <= extent ? nb : extent - start;
  return count;
}
int64_t global(int64_t local, int64_t part, int64_t parts) { return (local / nb * parts + part) * nb + local % nb; }

int64_t width(int64_t k) { return (k + 1) * nb <= n ? nb : n - k * nb; }
int thread_at(int64_t r, int64_t c_) { return (int)(r * problem.columns + c_); }
/* Who has panel k for my row and column, and where. */
int left_owner(int64_t k) { return thread_at(row, k % problem.columns); }
int right_owner(int64_t k) { return thread_at(k % problem.rows, column); }
size_t left_bytes(int64_t k) { return (size_t)(my_rows * width(k)) * sizeof(double); }
size_t right_bytes(int64_t k) { return (size_t)(my_columns * width(k)) * sizeof(double); }

/* Collective. Zero elements are allocated as one. */
shared [] double *allocate(int64_t count, double **mine) {
  shared [] double *memory = upc_alloc((size_t)(count > 0 ? count : 1) * sizeof(double));
  *mine = (double *)memory;
  return memory;
}

double a_at(int64_t i, int64_t j) { return a[i + j * my_rows]; }
double b_at(int64_t i, int64_t j) {
  const int64_t k = global(i, row, problem.rows) / nb;
  return b[i / nb * nb * my_columns + j * width(k) + i % nb];
}
double c_at(int64_t i, int64_t j) { return c[i + j * my_rows]; }

void make_matrices(void) {
  n = problem.n;
  nb = problem.nb;
  panels = (n + nb - 1) / nb;
  row = MYTHREAD / problem.columns;
  column = MYTHREAD % problem.columns;
  row_team = upc_team_split_stride(UPC_TEAM_ALL, problem.columns, 1);
  column_team = upc_team_split_stride(UPC_TEAM_ALL, problem.rows, problem.columns);
  my_rows = count_on(n, row, problem.rows);
  my_columns = count_on(n, column, problem.columns);
  a_of[MYTHREAD] = allocate(my_rows * my_columns, &a);
  b_of[MYTHREAD] = allocate(my_rows * my_columns, &b);
  left_of[MYTHREAD] = allocate(my_rows * n, &left);
  right_of[MYTHREAD] = allocate(n * my_columns, &right);
  c = calloc((size_t)(my_rows * my_columns + 1), sizeof(double));
  for (int64_t j = 0; j < my_columns; ++j)
    for (int64_t i = 0; i < my_rows; ++i) {
      const int64_t gi = global(i, row, problem.rows), gj = global(j, column, problem.columns);
      a[i + j * my_rows] = la_random(1, gi, gj);
      b[i / nb * nb * my_columns + j * width(gi / nb) + i % nb] = la_random(2, gi, gj);
    }
  arrivals_of[MYTHREAD] = upc_alloc((size_t)panels * sizeof(arrival_t));
  arrival_t *mine = (arrival_t *)arrivals_of[MYTHREAD];
  for (int64_t k = 0; k < panels; ++k) {
    mine[k].left = bupc_sem_alloc(BUPC_SEM_INTEGER | BUPC_SEM_SPRODUCER | BUPC_SEM_SCONSUMER);
    mine[k].right = bupc_sem_alloc(BUPC_SEM_INTEGER | BUPC_SEM_SPRODUCER | BUPC_SEM_SCONSUMER);
  }
  upc_barrier;
}

void free_matrices(void) {
  upc_barrier;
  arrival_t *mine = (arrival_t *)arrivals_of[MYTHREAD];
  for (int64_t k = 0; k < panels; ++k) {
    bupc_sem_free(mine[k].left);
    bupc_sem_free(mine[k].right);
  }
  upc_free(arrivals_of[MYTHREAD]);
  upc_free(a_of[MYTHREAD]);
  upc_free(b_of[MYTHREAD]);
  upc_free(left_of[MYTHREAD]);
  upc_free(right_of[MYTHREAD]);
  free(c);
  upc_team_free(row_team);
  upc_team_free(column_team);
}

/* In pieces of a millisecond or so, between which broadcasts go on. */
void add_product(int64_t k) {
  for (int64_t j = 0; j < my_columns; j += PIECE) {
    const int64_t count = j + PIECE <= my_columns ? PIECE : my_columns - j;
    for (int64_t i = 0; i < my_rows; i += PIECE) {
      la_gemm(0, i + PIECE <= my_rows ? PIECE : my_rows - i, count, width(k), 1, left + k * nb * my_rows + i, my_rows,
              right + k * nb * my_columns + j * width(k), width(k), k == 0 ? 0 : 1, c + i + j * my_rows, my_rows);
      bupc_poll();
    }
  }
}

/* Where panel k is sent from, and where it goes. */
shared [] double *left_source(int64_t k) { return a_of[left_owner(k)] + k / problem.columns * nb * my_rows; }
shared [] double *right_source(int64_t k) { return b_of[right_owner(k)] + k / problem.rows * nb * my_columns; }
shared [] double *left_place(int thread, int64_t k) { return left_of[thread] + k * nb * my_rows; }
shared [] double *right_place(int thread, int64_t k) { return right_of[thread] + k * nb * my_columns; }

#define SYNCHRONISED (UPC_IN_MYSYNC | UPC_OUT_MYSYNC)

void multiply_blocking(void) {
  for (int64_t k = 0; k < panels; ++k) {
    upc_team_broadcast(row_team, left_place(MYTHREAD, k), left_source(k), left_bytes(k), SYNCHRONISED);
    upc_team_broadcast(column_team, right_place(MYTHREAD, k), right_source(k), right_bytes(k), SYNCHRONISED);
    add_product(k);
  }
}

void multiply_broadcast(void) {
  upc_handle_t left_comes[AHEAD], right_comes[AHEAD];
  for (int64_t k = 0; k < panels + AHEAD; ++k) {
    if (k >= AHEAD) {
      upc_sync(left_comes[k % AHEAD]);
      upc_sync(right_comes[k % AHEAD]);
    }
    if (k < panels) {
      left_comes[k % AHEAD] = upc_team_broadcast_nb(row_team, left_place(MYTHREAD, k), left_source(k), left_bytes(k),
                                                    SYNCHRONISED);
      right_comes[k % AHEAD] = upc_team_broadcast_nb(column_team, right_place(MYTHREAD, k), right_source(k),
                                                     right_bytes(k), SYNCHRONISED);
    }
    if (k >= AHEAD) add_product(k - AHEAD);
  }
}

/* Each panel has a place of its own with everyone, so nobody is waited for before a panel is sent. */
void multiply_flat(void) {
  for (int64_t k = 0; k < panels; ++k) {
    if (left_owner(k) == MYTHREAD)
      for (int64_t m = 0; m < problem.columns; ++m) {
        const int to = thread_at(row, (column + m) % problem.columns);
        bupc_memput_signal(left_place(to, k), (double *)left_source(k), left_bytes(k), arrivals_of[to][k].left, 1);
      }
    if (right_owner(k) == MYTHREAD)
      for (int64_t m = 0; m < problem.rows; ++m) {
        const int to = thread_at((row + m) % problem.rows, column);
        bupc_memput_signal(right_place(to, k), (double *)right_source(k), right_bytes(k), arrivals_of[to][k].right, 1);
      }
  }
  const arrival_t *mine = (const arrival_t *)arrivals_of[MYTHREAD];
  for (int64_t k = 0; k < panels; ++k) {
    bupc_sem_wait(mine[k].left);
    bupc_sem_wait(mine[k].right);
    add_product(k);
  }
}

void set_a(int64_t i, int64_t j, void *element, void *unused) { *(double *)element = la_random(1, i, j); }
void set_b(int64_t i, int64_t j, void *element, void *unused) { *(double *)element = la_random(2, i, j); }

/* The library's matrices beside ours. */
weft_la_matrix_t *library_a, *library_b, *library_c;

void make_library(void) {
  const weft_la_layout_t layout = {WEFT_LA_D, n, n, nb, nb, 0, 0};
  la_check(weft_la_matrix_create(problem.grid, &layout, &library_a), "weft_la_matrix_create");
  la_check(weft_la_matrix_create(problem.grid, &layout, &library_b), "weft_la_matrix_create");
  la_check(weft_la_matrix_create(problem.grid, &layout, &library_c), "weft_la_matrix_create");
  weft_la_fill(library_a, set_a, NULL);
  weft_la_fill(library_b, set_b, NULL);
}

void multiply_library(void) {
  const double one = 1, zero = 0;
  la_check(weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, n, n, n, &one, weft_la_whole(library_a), weft_la_whole(library_b),
                        &zero, weft_la_whole(library_c), WEFT_LA_AUTO),
           "weft_la_gemm");
}

void free_library(void) {
  weft_la_export(library_c, c, my_rows);
  weft_la_matrix_free(library_a);
  weft_la_matrix_free(library_b);
  weft_la_matrix_free(library_c);
}

/* result = result + alpha M x for the matrix of these elements. Returns M's infinity norm. */
double apply(double (*at)(int64_t, int64_t), double alpha, const double *x, double *result) {
  double *product = calloc((size_t)n, sizeof(double)), *sums = calloc((size_t)n, sizeof(double)), norm = 0;
  for (int64_t j = 0; j < my_columns; ++j)
    for (int64_t i = 0; i < my_rows; ++i) {
      const int64_t gi = global(i, row, problem.rows);
      product[gi] += alpha * at(i, j) * x[global(j, column, problem.columns)];
      sums[gi] += fabs(at(i, j));
    }
  la_sum(product, (size_t)n);
  la_sum(sums, (size_t)n);
  for (int64_t i = 0; i < n; ++i) {
    result[i] += product[i];
    norm = sums[i] <= norm ? norm : sums[i];
  }
  free(product);
  free(sums);
  return norm;
}

double largest_of(const double *x) {
  double most = 0;
  for (int64_t i = 0; i < n; ++i) most = fabs(x[i]) <= most ? most : fabs(x[i]);
  return most;
}

/* |C x - A (B x)| / (|A| |B| |x| n eps), x random. */
double residual(void) {
  double *x = malloc((size_t)n * sizeof(double)), *bx = calloc((size_t)n, sizeof(double));
  double *difference = calloc((size_t)n, sizeof(double));
  for (int64_t i = 0; i < n; ++i) x[i] = la_random(3, i, 0);
  const double norm_b = apply(b_at, 1, x, bx);
  const double norm_a = apply(a_at, -1, bx, difference);
  apply(c_at, 1, x, difference);
  const double found = largest_of(difference) / (norm_a * norm_b * largest_of(x) * (double)n * 0x1p-52);
  free(x);
  free(bx);
  free(difference);
  return found;
}

int main(int argc, char **argv) {
  const int code = la_read(argc, argv, "matmul-upc",
                           "Multiplies two random matrices in UPC. Start it with upcrun -n THREADS.", &problem);
  if (code >= 0) return code;
  static void (*const multiply[])(void) = {multiply_broadcast, multiply_flat, multiply_blocking, multiply_library};
  make_matrices();
  if (problem.variant == LA_LIBRARY) make_library();
  double seconds = INFINITY;
  for (int i = 0; i < problem.repeat; ++i) {
    upc_barrier;
    const double start = la_now();
    multiply[problem.variant]();
    const double taken = la_largest(la_now() - start);
    if (problem.progress && MYTHREAD == 0) printf("repetition %d: %.4f s\n", i + 1, taken);
    seconds = taken < seconds ? taken : seconds;
  }
  if (problem.variant == LA_LIBRARY) free_library();
  const double order = (double)n, found = residual();
  free_matrices();
  return la_tell(&problem, seconds, 2 * order * order * order, found);
}
