// The barrier over all ranks, blocking and split-phase. Its limit is one cache line there and back between two cores,
// or a turn of each rank where they share processors.
#include <weft/barrier.h>

#include <algorithm>

#include "weft/benchmarks.hpp"

namespace bench {

void barrier(const Bench& bench) {
  const Symmetric memory(bench, std::max(sizeof(Box), bench.job.size() * sizeof(uint64_t)));
  const Loop blocking = [](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) weft_barrier();
  };
  const Loop split = [](uint64_t iterations) {
    for (uint64_t i = 0; i < iterations; ++i) {
      weft_barrier_notify(7, 0);
      require(weft_barrier_wait(7, 0) == WEFT_OK, "a barrier did not match");
    }
  };
  std::vector<Subject> subjects = {{"barrier", 0, blocking}, {"barrier_split", 0, split}};
  const BareLines lines(bench);
  if (lines.mapped() && bench.job.size() == 2)
    subjects.push_back({"bare_barrier", 0, bare_barrier(lines.rank, lines.own(), lines.others())});
  bench.section("barrier");
  bench.compare(Unit::ns, {meeting_limit(bench, memory)}, subjects);
}

}  // namespace bench
