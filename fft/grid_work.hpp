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
#include "fft/grid.hpp"
#include "fft/half_transform.hpp"
#include "fft/kernel.hpp"
#include "fft/phases.hpp"

namespace weft::fft {

/// What a rank sends lies in `stage` and what it receives in `inbox`, each of route.share() elements, except for the
/// second round of slabs, which is received in its final place in the target.
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

 private:
  std::size_t place(std::size_t plane, std::size_t member, std::size_t members, std::size_t part) const;
  void pack_plane(std::size_t plane);
  void gather_rows(std::size_t plane, std::size_t row);
  void pack_rows(std::size_t plane, std::size_t row);
  void unpack(std::size_t a);

  GridRoute route_;
  GridStrategy strategy_;
  GridArrays arrays_;

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
