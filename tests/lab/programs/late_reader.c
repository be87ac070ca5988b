/* Rank 0 puts COUNT bytes to rank 1, which does not call Weft for some seconds: late_reader SECONDS COUNT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK || argc != 3) return 1;
  const unsigned seconds = (unsigned)atoi(argv[1]);
  const size_t count = strtoul(argv[2], NULL, 10);
  size_t place;
  unsigned char* bytes = malloc(count);
  if (bytes == NULL || weft_alloc_symmetric(count, 0, &place) != WEFT_OK) return 1;
  memset(bytes, 7, count);
  printf("ready %u %d\n", weft_rank(), (int)getpid());
  fflush(stdout);
  weft_barrier();
  if (weft_rank() == 0) weft_put(1, place, bytes, count);
  if (weft_rank() == 1)
    for (unsigned left = seconds; left != 0;) left = sleep(left);
  weft_barrier();
  if (weft_rank() == 1 && memcmp(weft_pointer(1, place), bytes, count) == 0) puts("all arrived");
  free(bytes);
  return weft_finalize();
}
