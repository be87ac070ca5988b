/* Producer and consumer without a barrier: data and signal travel together.
 *
 * Rank 0 makes blocks and puts each into one of two buffers of rank 1; the signal that comes with a block says that it
 * is complete. Rank 1 adds a block up and posts a semaphore of rank 0: the buffer is free again. So rank 0 makes the
 * next block while rank 1 still works on the last one.
 *   weftrun -n 2 build/bin/example-pipeline */
#include <stdio.h>
#include <weft/weft.h>

enum { block_length = 4096, buffers = 2, blocks = 100 };

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  if (weft_size() != 2) {
    if (weft_rank() == 0) fprintf(stderr, "pipeline: start it on 2 ranks\n");
    weft_finalize();
    return 2;
  }
  size_t data, arrived, freed;
  weft_alloc_symmetric(buffers * block_length * sizeof(double), 0, &data);
  weft_alloc_symmetric(sizeof(uint64_t), 0, &arrived); /* signal words start at 0 */
  weft_alloc_symmetric(sizeof(uint64_t), 0, &freed);

  if (weft_rank() == 0) {
    double block[block_length];
    for (int b = 0; b < blocks; ++b) {
      for (int i = 0; i < block_length; ++i) block[i] = b;
      if (b >= buffers) weft_semaphore_wait(freed, 1);
      const size_t target = data + (size_t)(b % buffers) * sizeof block;
      weft_put_signal(1, target, block, sizeof block, arrived, 1, WEFT_SIGNAL_ADD);
    }
  } else {
    double sum = 0;
    for (int b = 0; b < blocks; ++b) {
      weft_semaphore_wait(arrived, 1);
      const double* block = (const double*)weft_pointer(1, data) + (b % buffers) * block_length;
      for (int i = 0; i < block_length; ++i) sum += block[i];
      weft_semaphore_post(0, freed, 1);
    }
    printf("sum of %d blocks: %.0f\n", blocks, sum);
  }
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
