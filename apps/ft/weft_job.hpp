// The job as Weft runs it.
#pragma once

#include <weft/coll.h>

#include "apps/ft/job.hpp"

namespace ft {

/// Between weft_init() and weft_finalize().
class WeftJob final : public Job {
 public:
  int rank() const override;
  int size() const override;
  int ranks_on_host() const override;
  int hosts() override;
  std::size_t shared_limit() const override;
  std::string shared_limit_advice() const override;
  weft::fft::Clock clock() const override;
  std::string simulated() const override;
  weft::fft::LocalWork local_work() const override;
  void barrier() override;
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;

 private:
  static void reduce(std::span<double> values, weft_reduce_op_t op);
};

}  // namespace ft
