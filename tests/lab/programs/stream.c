/* Blocks travel from each rank to the next: stream COUNT [BYTES [STOP]]. COUNT 0: without end. Each rank prints "ready
 * RANK PID" when the first has arrived; with an end, rank 0 prints "N blocks arrived whole" after every rank has
 * checked its own. With STOP, the end comes early when rank 0 finds a file of that name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 0;
  const size_t size = argc > 2 ? (size_t)atol(argv[2]) : 65536;
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  const char* stop = argc > 3 ? argv[3] : NULL;
  size_t target, ending;
  if (weft_alloc_symmetric(size, 0, &target) != WEFT_OK || weft_alloc_symmetric(8, 0, &ending) != WEFT_OK) return 1;
  weft_put_value(weft_rank(), ending, 0, 8);
  const weft_rank_t next = (weft_rank() + 1) % weft_size();
  unsigned char* mine = weft_pointer(weft_rank(), target);
  unsigned char* block = malloc(size);
  long i = 0;
  uint64_t over = 0;
  for (; (count == 0 || i < count) && over == 0; ++i) {
    memset(block, (int)(i + weft_rank()) & 255, size);
    weft_put(next, target, block, size);
    if (count != 0) {
      const int stopped = stop != NULL && weft_rank() == 0 && access(stop, F_OK) == 0;
      for (weft_rank_t peer = 0; stopped && peer < weft_size(); ++peer) weft_put_value(peer, ending, 1, 8);
      weft_barrier();
      over = weft_get_value(weft_rank(), ending, 8);  // before rank 0 comes to the next put of it
      const weft_rank_t previous = (weft_rank() + weft_size() - 1) % weft_size();
      memset(block, (int)(i + previous) & 255, size);
      if (memcmp(mine, block, size) != 0) weft_exit(3);
      weft_barrier();
    }
    if (i == 0) {
      char line[64];
      const int length = snprintf(line, sizeof line, "ready %u %d\n", weft_rank(), (int)getpid());
      if (write(1, line, (size_t)length) != length) return 1;
    }
  }
  free(block);
  if (weft_rank() == 0) printf("%ld blocks arrived whole\n", i);
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
