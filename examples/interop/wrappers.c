/* Functions that weft.h defines inline, as functions that Fortran can call. */
#include <weft/weft.h>

int example_rank(void);
int example_size(void);
int example_put(int peer, size_t offset, const void* source, size_t size);

int example_rank(void) { return (int)weft_rank(); }
int example_size(void) { return (int)weft_size(); }
int example_put(int peer, size_t offset, const void* source, size_t size) {
  return weft_put((weft_rank_t)peer, offset, source, size);
}
