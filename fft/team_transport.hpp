// The exchanges of the 2-D decomposition by Weft's team collectives.
#pragma once

#include <weft/team.h>
#include <weft/types.h>

#include <vector>

#include "fft/grid_transport.hpp"
#include "fft/segment_arrays.hpp"

namespace weft::fft {

/// Over all ranks of the job, with one team per row and column of the grid. A round of one exchange is a blocking
/// collective; of several, non-blocking ones, waited for together in finish(). The collectives synchronise no more
/// than the data needs, and there is no barrier.
class TeamTransport final : public GridTransport {
 public:
  /// Collective. grid: as many places as the job has ranks.
  explicit TeamTransport(const Grid& grid);
  ~TeamTransport() override;

  Grid grid() const override { return grid_; }
  int rank() const override;
  Complex* allocate(std::size_t elements) override;
  void begin(const GridRound& round) override;
  void start(std::size_t k) override;
  void finish(PhaseClock& clock) override;

 private:
  weft_team_t team() const { return round_.team == GridTeam::plane ? plane_ : across_; }
  void start_spread(const Complex* source, Complex* destination);

  Grid grid_;
  weft_team_t plane_ = WEFT_TEAM_NONE;
  weft_team_t across_ = WEFT_TEAM_NONE;
  SegmentArrays arrays_;
  GridRound round_;
  std::vector<weft_handle_t> under_way_;
  // Of exchanges whose blocks do not lie together at their destination: bytes of the blocks, and where they start.
  std::vector<std::size_t> sizes_, source_offsets_, destination_offsets_;
};

}  // namespace weft::fft
