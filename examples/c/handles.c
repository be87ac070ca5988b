/* Overlap: what is under way has a handle, and the rank computes until it needs the result.
 *
 * Each rank scales the blocks of a vector one after another. As soon as a block is ready it is on its way to the
 * neighbour, while the next one is computed. A handle is waited for once.
 *   weftrun -n 2 build/bin/example-handles */
#include <stdio.h>
#include <weft/weft.h>

enum { blocks = 8, block_length = 1 << 14 };

static double vector[blocks][block_length];

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  size_t inbox;
  if (weft_alloc_symmetric(sizeof vector, 0, &inbox) != WEFT_OK) return 1;
  const weft_rank_t right = (weft_rank() + 1) % weft_size();

  weft_handle_t handles[blocks];
  for (size_t b = 0; b < blocks; ++b) {
    for (size_t i = 0; i < block_length; ++i) vector[b][i] = 2.0 * (double)(b + i);
    weft_put_nb(right, inbox + b * sizeof vector[b], vector[b], sizeof vector[b], 0, &handles[b]);
  }
  weft_handle_wait_all(handles, blocks); /* all of it is in place in the neighbour's memory */
  weft_barrier();                        /* and everybody's is in everybody's */

  const double(*received)[block_length] = weft_pointer(weft_rank(), inbox);
  double sum = 0;
  for (size_t b = 0; b < blocks; ++b)
    for (size_t i = 0; i < block_length; ++i) sum += received[b][i];
  if (weft_rank() == 0) printf("sum of the neighbour's vector: %.0f\n", sum);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
