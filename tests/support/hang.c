/* Rank 1 never comes to the barrier in which the others wait. */
#include <weft/weft.h>

int main(void) {
  if (weft_init(0, 0) != WEFT_OK) return 1;
  for (volatile int forever = weft_rank() == 1; forever;) {
  }
  weft_barrier();
  weft_finalize();
  return 0;
}
