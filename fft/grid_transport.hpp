// What the 2-D decomposition needs from a communication library: exchanges on the two teams of a rank.
// team_transport.hpp serves it by Weft's team collectives, the MPI programs of apps/ft in three ways.
#pragma once

#include <cstddef>

#include "fft/grid.hpp"
#include "fft/phases.hpp"

namespace weft::fft {

/// The exchanges of one round, all alike: `count` of them on one team, one for packed slabs, one per plane for slabs.
/// On a team of one member source and destination are the same: there is nothing to move, but it counts as sent.
struct GridRound {
  GridTeam team = GridTeam::plane;
  std::size_t count = 1;
  std::size_t elements = 0;         ///< of one member's block
  const Complex* source = nullptr;  ///< exchange k: blocks in the order of members, at k * source_step
  std::size_t source_step = 0;
  Complex* destination = nullptr;  ///< exchange k, from member m: at k * destination_step + m * destination_distance
  std::size_t destination_step = 0;
  std::size_t destination_distance = 0;
};

/// Calls of a round, in this order on every rank: begin; start(0), start(1), ... start(count - 1); finish.
class GridTransport {
 public:
  GridTransport() = default;
  GridTransport(const GridTransport&) = delete;
  GridTransport& operator=(const GridTransport&) = delete;
  virtual ~GridTransport() = default;

  virtual Grid grid() const = 0;
  /// In the job: tz * TY + ty.
  virtual int rank() const = 0;

  /// Memory that members may write to; collective over the job, the same size everywhere, page-aligned, zero, freed
  /// with the transport.
  virtual Complex* allocate(std::size_t elements) = 0;

  /// What is received may be overwritten from the start of its exchange on. Does not wait.
  virtual void begin(const GridRound& round) = 0;
  /// The source blocks of exchange k are ready, its destination is free. Waits only if it is the only one of its round.
  virtual void start(std::size_t k) = 0;
  /// Returns when all blocks of the round have arrived here and its sources may be reused.
  virtual void finish(PhaseClock& clock) = 0;

  /// Sent since the transport exists, to itself too.
  const Traffic& traffic() const { return traffic_; }

 protected:
  void count(std::size_t messages, std::size_t elements) {
    traffic_.messages += messages;
    traffic_.bytes += messages * elements * sizeof(Complex);
  }

 private:
  Traffic traffic_;
};

}  // namespace weft::fft
