/* A halo exchange: rows are contiguous, columns are not.
 *
 * Ranks stand side by side, each with a tile of `rows` by `columns`, and a column more at either side for what the
 * neighbours have there. A column is a strided block: `rows` elements, a row apart, on both sides of the put.
 *   weftrun -n 3 build/bin/example-strided */
#include <stdio.h>
#include <weft/weft.h>

enum { rows = 100, columns = 50, width = columns + 2 };

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  size_t tile;
  if (weft_alloc_symmetric(rows * width * sizeof(double), 0, &tile) != WEFT_OK) return 1;
  double(*mine)[width] = weft_pointer(weft_rank(), tile);
  for (int r = 0; r < rows; ++r)
    for (int c = 1; c <= columns; ++c) mine[r][c] = weft_rank() + 1;
  weft_barrier(); /* nobody writes into a tile that its owner still fills */

  const ptrdiff_t stride = sizeof *mine; /* bytes from an element of a column to the next */
  const size_t count = rows;
  const weft_rank_t left = (weft_rank() + weft_size() - 1) % weft_size();
  const weft_rank_t right = (weft_rank() + 1) % weft_size();
  const size_t last = tile + (width - 1) * sizeof(double);
  weft_put_strided_nbi(left, last, &stride, &mine[0][1], &stride, sizeof(double), &count, 1, 0);
  weft_put_strided_nbi(right, tile, &stride, &mine[0][columns], &stride, sizeof(double), &count, 1, 0);
  weft_nbi_wait(); /* both, without handles */
  weft_barrier();

  double sum = 0;
  for (int r = 0; r < rows; ++r) sum += mine[r][0] + mine[r][width - 1];
  printf("rank %u: my halo adds up to %.0f\n", weft_rank(), sum);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
