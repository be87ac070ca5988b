// Transposition by MPI's two-sided communication, for comparison: the same layout, the same kernels, the same order.
// Receives are posted before the first plane and go straight to the final place; sends are started as soon as
// the strategy has something to send; exchange is one MPI_Alltoall.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "apps/ft/mpi/simulated.hpp"
#include "fft/transport.hpp"

namespace ft {

class TwoSided final : public weft::fft::Transport {
 public:
  using Complex = weft::fft::Complex;

  TwoSided();

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Complex* allocate(std::size_t elements) override;
  std::size_t least_message_bytes() const override { return 1; }
  std::size_t source_buffers(std::size_t) const override;
  void reuse(std::size_t buffer) override;
  void begin(const weft::fft::Route& route, weft::fft::Strategy strategy, Complex* target) override;
  void open(weft::fft::PhaseClock&) override {}  // a receive that is posted is permission enough
  void send(int peer, std::size_t offset, const Complex* source, std::size_t elements) override;
  void exchange(const Complex* stage, std::size_t elements) override;
  void close(weft::fft::PhaseClock& clock) override;

 private:
  void post_receives(const weft::fft::Route& route, weft::fft::Strategy strategy);

  int rank_ = 0;
  int size_ = 1;
  Complex* target_ = nullptr;
  std::size_t buffer_ = 0;  // the source buffer in use
  std::vector<ReceiveArray> arrays_;
  std::vector<MPI_Request> receives_;
  std::vector<std::vector<MPI_Request>> sends_;  // of each source buffer
};

}  // namespace ft
