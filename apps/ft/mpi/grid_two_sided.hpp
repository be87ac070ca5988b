// The exchanges of the 2-D decomposition by MPI, on sub-communicators, for comparison: the same layout, the same local
// work, the same order.
#pragma once

#include <mpi.h>

#include <string_view>
#include <vector>

#include "apps/ft/mpi/simulated.hpp"
#include "fft/grid_transport.hpp"

namespace ft {

/// How a round of several exchanges is done; a round of one is MPI_Alltoall.
enum class GridMessages {
  point_to_point,  ///< receives posted before the round, MPI_Isend to the members in rotated order
  ialltoall        ///< MPI_Ialltoall
};
/// What the variant's name says.
GridMessages grid_messages(std::string_view variant);

class GridTwoSided final : public weft::fft::GridTransport {
 public:
  using Complex = weft::fft::Complex;

  GridTwoSided(const weft::fft::Grid& grid, GridMessages messages);
  ~GridTwoSided() override;

  weft::fft::Grid grid() const override { return grid_; }
  int rank() const override { return rank_; }
  Complex* allocate(std::size_t elements) override;
  void begin(const weft::fft::GridRound& round) override;
  void start(std::size_t k) override;
  void finish(weft::fft::PhaseClock& clock) override;

 private:
  MPI_Comm team() const { return round_.team == weft::fft::GridTeam::plane ? plane_ : across_; }
  bool blocking() const { return round_.count == 1; }
  void post_receives();
  void send_blocks(std::size_t k);
  void progress();

  weft::fft::Grid grid_;
  GridMessages messages_;
  int rank_ = 0;
  MPI_Comm plane_ = MPI_COMM_NULL;
  MPI_Comm across_ = MPI_COMM_NULL;
  std::vector<ReceiveArray> arrays_;
  weft::fft::GridRound round_;
  int members_ = 1;
  int me_ = 0;
  MPI_Datatype block_ = MPI_DATATYPE_NULL;  // one member's block; the next starts where the round says
  std::vector<MPI_Request> requests_;
  std::size_t oldest_ = 0;  // of the requests, that is not known to be complete
};

}  // namespace ft
