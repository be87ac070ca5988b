// The job as Weft runs it.
#pragma once

#include "apps/ft/job.hpp"

namespace ft {

/// Between weft_init() and weft_finalize().
class WeftJob final : public Job {
 public:
  WeftJob();
  ~WeftJob() override;

  int rank() const override;
  int size() const override;
  int ranks_on_host() const override;
  int hosts() override;
  std::size_t shared_limit() const override;
  std::string shared_limit_advice() const override;
  void barrier() override;
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;

 private:
  template <class Combine>
  void reduce(std::span<double> values, Combine combine);

  std::size_t slots_ = 0;  // segment offset: one slot of values per rank
};

}  // namespace ft
