/* Rank 0 puts a word to rank 5 of 8 when it finds a file of this name: late_put FILE. Before, the two have had nothing
 * to do with each other: a barrier of 8 ranks joins those at distances of 1, 2 and 4. The others put words to rank 5
 * all the time. */
#include <stdio.h>
#include <unistd.h>
#include <weft/weft.h>

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  size_t word;
  if (argc != 2 || weft_alloc_symmetric(8, 0, &word) != WEFT_OK) return 1;
  printf("ready %u %d\n", weft_rank(), (int)getpid());
  fflush(stdout);
  if (weft_rank() == 5) weft_barrier();  // in which it serves the others
  while (weft_rank() != 0) {
    weft_put_value(5, word, 1, 8);
    usleep(1000);
  }
  while (access(argv[1], F_OK) != 0) weft_poll();
  weft_put_value(5, word, 1, 8);
  puts("the put is done");
  return 0;
}
