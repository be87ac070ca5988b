// What the benchmarks need of the job they run in, whoever runs it: Weft or an MPI.
#pragma once

#include <chrono>
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
  /// A loop is run so often at most.
  virtual uint64_t most_iterations() const { return uint64_t{1} << 32; }
  /// The clock that this rank's times are measured by.
  virtual double now_ns() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace bench
