// What the benchmarks need of the job they run in, whoever runs it: Weft or an MPI.
#pragma once

#include <cstdint>

namespace bench {

class Job {
 public:
  virtual ~Job() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;
  virtual void barrier() = 0;
  /// Rank 0's value, on all ranks. Collective.
  virtual uint64_t agree(uint64_t value) = 0;
};

}  // namespace bench
