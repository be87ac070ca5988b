/* Each rank writes its number into its right neighbour's memory.
 *   weftrun -n 4 build/bin/example-hello */
#include <stdio.h>
#include <weft/weft.h>

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  size_t offset;
  weft_alloc_symmetric(sizeof(int), 0, &offset); /* the same offset on every rank */
  int me = (int)weft_rank();
  weft_put((weft_rank() + 1) % weft_size(), offset, &me, sizeof me); /* no receive on the other side */
  weft_barrier();
  printf("rank %d of %u: my left neighbour is %d\n", me, weft_size(), *(int*)weft_pointer(weft_rank(), offset));
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
