/* Multiplies two matrices of ones and looks at the product. */
#include <stdio.h>
#include <weft/job.h>
#include <weft/linalg.h>

static void one(int64_t row, int64_t column, void* element, void* argument) {
  (void)row, (void)column, (void)argument;
  *(double*)element = 1;
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  weft_la_grid_t* grid;
  weft_la_matrix_t *a, *c;
  const weft_la_layout_t layout = {WEFT_LA_D, 100, 100, 16, 16, 0, 0};
  const double alpha = 1, beta = 0;
  if (weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid) != WEFT_OK) return 1;
  if (weft_la_matrix_create(grid, &layout, &a) != WEFT_OK) return 1;
  if (weft_la_matrix_create(grid, &layout, &c) != WEFT_OK) return 1;
  weft_la_fill(a, one, NULL);
  weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, 100, 100, 100, &alpha, weft_la_whole(a), weft_la_whole(a), &beta,
               weft_la_whole(c), WEFT_LA_AUTO);
  printf("%u: %g\n", weft_rank(), ((const double*)weft_la_matrix_local(c).data)[0]);
  weft_la_matrix_free(a);
  weft_la_matrix_free(c);
  weft_la_grid_free(grid);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
