// The local work of one direction of a 2-D decomposed transform: everything but the exchanges.
//
//   for each local plane b:  load [a][its y];  FFT along a;  pack by member                  first_plane()
//   exchange
//   for each local plane b:  gather rows of y, a few at a time;  FFT along y;  pack by member  second_plane()
//   exchange
//   packed slabs: unpack;  FFT along b in place in the target                                  finish()
#pragma once

#include <cstddef>

#include "fft/columns.hpp"
#include "fft/grid_transport.hpp"
#include "fft/half_transform.hpp"
#include "fft/kernel.hpp"
#include "fft/phases.hpp"

namespace weft::fft {

/// Memory of one direction. target: this rank's target array; stage and inbox: route.share() elements each, in which
/// parts wait to be sent and are received. A round on a team of one member leaves its parts where they are.
struct GridArrays {
  Complex* target = nullptr;
  Complex* stage = nullptr;
  Complex* inbox = nullptr;
};

class GridWork {
 public:
  /// Plans the local transforms. Overwrites the arrays.
  GridWork(const GridRoute& route, Direction direction, GridStrategy strategy, const GridArrays& arrays,
           const Planning& planning);

  void first_plane(std::size_t plane, PlaneSource& source, PhaseClock& clock);
  void second_plane(std::size_t plane, PhaseClock& clock);
  void finish(PhaseClock& clock);

  const GridRoute& route() const { return route_; }
  /// The exchanges after the planes of the first and of the second part.
  GridRound first_round() const;
  GridRound second_round() const;

 private:
  using Copy = void (*)(Complex* to, const Complex* from, std::size_t elements);
  // Where the parts lie that go to, or come from, the members of a team.
  struct Parts {
    Complex* base;
    std::size_t plane_step;
    std::size_t member_step;

    Complex* at(std::size_t plane, std::size_t member) const {
      return base + plane * plane_step + member * member_step;
    }
  };

  Copy copy_for(const GridRoute::Member& team) const;
  Parts parts(Complex* base, std::size_t members, std::size_t part) const;
  GridRound round(const GridRoute::Member& team, std::size_t part, const Parts& from, const Parts& to) const;
  bool slabs() const { return strategy_ == GridStrategy::slabs; }
  bool unpacks() const { return !slabs() && route_.second.size > 1; }
  void pack_plane(std::size_t plane);
  void gather_rows(std::size_t plane, std::size_t row);
  void pack_rows(std::size_t plane, std::size_t row);
  void unpack(std::size_t a);

  GridRoute route_;
  GridStrategy strategy_;
  Complex* target_;
  LocalWork local_;
  Parts packed_first_;
  Parts arrived_first_;
  Parts packed_second_;
  Parts arrived_second_;

  Copy pack_first_;  // through the caches or past them
  Copy pack_second_;
  std::size_t work_stride_;
  std::size_t burst_;  // rows that are gathered, transformed and packed together
  AlignedArray work_;  // one plane [a][its y], rows work_stride_ apart
  AlignedArray rows_;  // a burst of whole rows
  AlignedArray transformed_;

  Columns along_a_;
  Batch along_y_;
  Columns along_b_;
};

}  // namespace weft::fft
