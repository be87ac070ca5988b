#include "weft/benchmarks.hpp"

#include <weft/job.h>

namespace bench {

Symmetric::Symmetric(const Bench& bench, size_t bytes) {
  require(weft_alloc_symmetric(bytes, 4096, &offset_) == WEFT_OK, "not enough memory in the segment");
  std::memset(weft_pointer(weft_rank(), offset_), 0, bytes);
  bench.job.barrier();
}

Bare line_limit(const Bench& bench, const Symmetric& memory) {
  return {"line round trip", memory.mapped() ? line_round_trip(bench.job.rank(), memory.on<Box>(0)) : Loop()};
}

void require(bool holds, const char* what) {
  if (!holds) weft_abort(what);
}

}  // namespace bench
