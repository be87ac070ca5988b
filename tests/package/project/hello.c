#include <stdio.h>
#include <weft/weft.h>

int main(int argc, char** argv) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 1;
  printf("hello from rank %u of %u, Weft %s\n", weft_rank(), weft_size(), weft_version());
  size_t offset;
  if (weft_alloc_symmetric(64, 0, &offset) != WEFT_OK) return 1;
  weft_put_value((weft_rank() + 1) % weft_size(), offset, 17, 8);
  weft_barrier();
  printf("%u of %u: %llu\n", weft_rank(), weft_size(), (unsigned long long)weft_get_value(weft_rank(), offset, 8));
  fflush(stdout);
  return weft_finalize();
}
