/* Solves A x = b by LU: factor, solve, look at the residual.
 *
 * All matrices are dealt in blocks over a grid of ranks. Each rank fills its own elements, and nobody has a whole
 * matrix. A is the Hartley transform: b = (n, 0, 0, ...) has the solution x = (1, 1, 1, ...).
 *   weftrun -n 4 build/bin/example-solve */
#include <math.h>
#include <stdio.h>
#include <weft/linalg.h>
#include <weft/weft.h>

enum { n = 1000, block = 96 };

static void element_of_a(int64_t row, int64_t column, void* element, void* argument) {
  (void)argument;
  const double angle = 2 * acos(-1) / n * (double)(row * column % n);
  *(double*)element = cos(angle) + sin(angle);
}

static void element_of_b(int64_t row, int64_t column, void* element, void* argument) {
  (void)column, (void)argument;
  *(double*)element = row == 0 ? n : 0;
}

/* The library has said what is wrong. */
static void need(int status) {
  if (status != WEFT_OK) weft_exit(1);
}

static weft_la_matrix_t* matrix(weft_la_grid_t* grid, int64_t columns, weft_la_element_t element) {
  const weft_la_layout_t layout = {WEFT_LA_D, n, columns, block, block, 0, 0};
  weft_la_matrix_t* made;
  need(weft_la_matrix_create(grid, &layout, &made));
  need(weft_la_fill(made, element, NULL));
  return made;
}

/* Of all ranks' parts. */
static double largest_element(const weft_la_matrix_t* of) {
  const weft_la_local_t mine = weft_la_matrix_local(of);
  double largest = 0;
  for (int64_t j = 0; j < mine.columns; ++j)
    for (int64_t i = 0; i < mine.rows; ++i)
      largest = fmax(largest, fabs(((const double*)mine.data)[i + j * mine.leading]));
  weft_reduce_all(WEFT_TEAM_WORLD, &largest, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return largest;
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  weft_la_grid_t* grid;
  need(weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid)); /* all ranks, as nearly square as they can be */
  weft_la_matrix_t *a = matrix(grid, n, element_of_a), *factors = matrix(grid, n, element_of_a);
  weft_la_matrix_t *b = matrix(grid, 1, element_of_b), *x = matrix(grid, 1, element_of_b);

  static int64_t pivots[n];
  int64_t zero;
  need(weft_la_getrf(n, n, weft_la_whole(factors), pivots, &zero)); /* L and U replace A */
  if (zero != 0) weft_abort("the matrix is singular");
  need(weft_la_getrs(WEFT_LA_NONE, n, 1, weft_la_whole(factors), pivots, weft_la_whole(x))); /* x replaces b */

  const double minus_one = -1, one = 1; /* b = b - A x */
  need(weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, n, 1, n, &minus_one, weft_la_whole(a), weft_la_whole(x), &one,
                    weft_la_whole(b), WEFT_LA_AUTO));
  const double residual = largest_element(b), largest = largest_element(x);
  if (weft_rank() == 0) printf("%d equations: largest x %.6f, largest residual %.1e\n", n, largest, residual);

  weft_la_matrix_free(x);
  weft_la_matrix_free(b);
  weft_la_matrix_free(factors);
  weft_la_matrix_free(a);
  weft_la_grid_free(grid);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
