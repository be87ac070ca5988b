/* Calls of the linear algebra with what leads to no grid or matrix, by rank 1 while the others work: misuse_test.py. */
#include <stdio.h>
#include <string.h>
#include <weft/barrier.h>
#include <weft/coll.h>
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
  if (strcmp(name, "create-without") == 0) {
    char bytes[32], all[3 * sizeof bytes];
    weft_la_grid_t* other;
    memset(bytes, 0xfe, sizeof bytes);
    if (mistaken) {
      weft_gather_all(WEFT_TEAM_WORLD, all, bytes, sizeof bytes, 0);
    } else if (weft_la_grid_create(WEFT_TEAM_WORLD, 0, 0, &other) != WEFT_ERR_INVALID) {
      weft_exit(3);
    }
  }
  if (!mistaken) return;
  if (strcmp(name, "rows-of-null") == 0) weft_la_grid_rows(NULL);
  if (strcmp(name, "local-of-freed") == 0) weft_la_matrix_local(freed);
  if (strcmp(name, "layout-of-zeros") == 0) weft_la_matrix_layout((weft_la_matrix_t*)zeros);
  if (strcmp(name, "row-behind") == 0) weft_la_global_row(matrix, 3);
  if (strcmp(name, "row-far") == 0) weft_la_global_row(matrix, INT64_MAX);
  if (strcmp(name, "column-before") == 0) weft_la_global_column(matrix, -1);
  if (strcmp(name, "row-of-grid") == 0) weft_la_global_row((weft_la_matrix_t*)grid, 0);
}

static void set(int64_t row, int64_t column, void* element, void* argument) {
  (void)row, (void)column, (void)argument;
  *(double*)element = 0;
}

static void act_after_end(const char* function) {
  const double one = 1;
  const weft_la_part_t part = weft_la_whole(matrix);
  if (strcmp(function, "gemm") == 0)
    weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, 1, 1, 1, &one, part, part, &one, part, WEFT_LA_AUTO);
  if (strcmp(function, "matrix_local") == 0) weft_la_matrix_local(matrix);
  if (strcmp(function, "fill") == 0) weft_la_fill(matrix, set, NULL);
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
  if (weft_finalize() != WEFT_OK) return 2;
  if (argc > 2) act_after_end(argv[2]);
  return 0;
}
