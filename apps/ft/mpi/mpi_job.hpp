// The job as MPI runs it.
#pragma once

#include <mpi.h>

#include "apps/ft/job.hpp"
#include "apps/ft/mpi/simulated.hpp"

namespace ft {

/// Between MPI_Init() and MPI_Finalize().
class MpiJob final : public Job {
 public:
  MpiJob();
  ~MpiJob() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int ranks_on_host() const override;
  int hosts() override;
  std::size_t shared_limit() const override { return static_cast<std::size_t>(-1); }
  weft::fft::Clock clock() const override { return MPI_Wtime; }
  std::string simulated() const override { return simulated_machine(); }
  weft::fft::LocalWork local_work() const override { return simulated_work(); }
  void barrier() override;
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;

 private:
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm host_ = MPI_COMM_NULL;  // the ranks on this host
};

/// Name and version of the MPI library that runs, "Open MPI 4.1.4".
std::string mpi_library();

}  // namespace ft
