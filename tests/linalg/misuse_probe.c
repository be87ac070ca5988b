/* Calls of the linear algebra with what leads to no grid or matrix, by rank 1 while the others work: misuse_test.py. */
#include <stdio.h>
#include <string.h>
#include <weft/barrier.h>
#include <weft/job.h>
#include <weft/linalg.h>

static weft_la_grid_t* grid;
static weft_la_matrix_t *matrix, *freed;
static uint64_t zeros[64];

static void act(const char* name, int mistaken) {
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  weft_la_matrix_t* made;
  int64_t info;
  if (strcmp(name, "factor-null") == 0) weft_la_potrf(WEFT_LA_LOWER, 5, weft_la_whole(mistaken ? NULL : matrix), &info);
  if (strcmp(name, "factor-freed") == 0)
    weft_la_potrf(WEFT_LA_LOWER, 5, weft_la_whole(mistaken ? freed : matrix), &info);
  if (strcmp(name, "create-on-null") == 0) weft_la_matrix_create(mistaken ? NULL : grid, &layout, &made);
  if (strcmp(name, "free-twice") == 0) weft_la_matrix_free(mistaken ? freed : matrix);
  if (!mistaken) return;
  if (strcmp(name, "rows-of-null") == 0) weft_la_grid_rows(NULL);
  if (strcmp(name, "local-of-freed") == 0) weft_la_matrix_local(freed);
  if (strcmp(name, "layout-of-zeros") == 0) weft_la_matrix_layout((weft_la_matrix_t*)zeros);
  if (strcmp(name, "row-of-grid") == 0) weft_la_global_row((weft_la_matrix_t*)grid, 0);
}

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 2;
  const weft_la_layout_t layout = {WEFT_LA_D, 10, 10, 3, 3, 0, 0};
  if (weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &grid) != WEFT_OK) return 2;
  if (weft_la_matrix_create(grid, &layout, &matrix) != WEFT_OK) return 2;
  if (weft_la_matrix_create(grid, &layout, &freed) != WEFT_OK) return 2;
  weft_la_matrix_free(freed);
  if (argc > 1) act(argv[1], weft_rank() == 1);
  weft_barrier();
  return weft_finalize() == WEFT_OK ? 0 : 2;
}
