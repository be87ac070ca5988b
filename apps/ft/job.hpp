// The few things that the benchmark needs from the job it runs in, whatever library started it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fft/local_work.hpp"
#include "fft/phases.hpp"

namespace ft {

class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int ranks_on_host() const = 0;
  virtual int hosts() = 0;
  /// Bytes that one rank may allocate for other ranks to write to.
  virtual std::size_t shared_limit() const = 0;
  /// What to do when shared_limit() is too small, as an instruction to the user.
  virtual std::string shared_limit_advice() const { return {}; }

  /// What times are measured by.
  virtual weft::fft::Clock clock() const { return weft::fft::steady_seconds; }
  /// Which machine is simulated, as weft_simulated() says it; empty: the job runs for real.
  virtual std::string simulated() const { return {}; }

  /// How its ranks compute.
  virtual weft::fft::LocalWork local_work() const { return {}; }

  virtual void barrier() = 0;
  /// Replaces each value by the sum, or the largest, over all ranks; the same on every rank.
  virtual void sum(std::span<double> values) = 0;
  virtual void max(std::span<double> values) = 0;
};

}  // namespace ft
