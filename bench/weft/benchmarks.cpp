#include "weft/benchmarks.hpp"

#include <sched.h>
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

Bare meeting_limit(const Bench& bench, const Symmetric& memory) {
  cpu_set_t allowed;
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const weft_rank_t ranks = bench.job.size();
  const bool share = known && ranks > static_cast<unsigned>(CPU_COUNT(&allowed)) && weft_host_size() == ranks;
  if (!share) return line_limit(bench, memory);
  Bare limit = {"turn of each", {}};
  if (memory.mapped()) limit.loop = turn_of_each(bench.job.rank(), ranks, memory.on<uint64_t>(0));
  return limit;
}

void require(bool holds, const char* what) {
  if (!holds) weft_abort(what);
}

}  // namespace bench
