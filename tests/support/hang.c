/* Rank 1 never comes to the barrier in which the others wait, or, with an argument, to the signal that they wait for.
 */
#include <weft/weft.h>

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  for (volatile int forever = weft_rank() == 1; forever;) {
  }
  if (argc == 1) {
    weft_barrier();
  } else {
    size_t words;
    weft_alloc_symmetric(16, 0, &words);
    const weft_signal_condition_t conditions[] = {{words, WEFT_GE, 1}, {words + 8, WEFT_GE, 1}};
    weft_signal_wait_any(conditions, 2, NULL, NULL);
  }
  weft_finalize();
  return 0;
}
