// Distributed 3-D complex transforms on a grid of ranks: as Transform3d, with the 2-D decomposition.
//
//   weft::fft::TeamTransport transport({.ty = 2, .tz = 4});            // or another GridTransport
//   weft::fft::GridTransform3d fft({256, 256, 128}, transport, {.strategy = GridStrategy::slabs});
//
// Layout on the rank (ty, tz) of a grid of TY x TZ, `pad` elements after each part of the slowest index:
//   spatial()  [x = 0..nx)[z = the rank's nz/TZ][y = its ny/TY)
//   spectral() [z = 0..nz)[x = the rank's nx/TY][y = its ny/TZ)
#pragma once

#include "fft/grid_transport.hpp"
#include "fft/grid_work.hpp"
#include "fft/transform.hpp"

namespace weft::fft {

struct GridOptions {
  GridStrategy strategy = GridStrategy::slabs;
  int pad = default_pad;  ///< complex elements; not negative
  Planning planning;
};

MemoryNeed memory_need(const Shape& shape, const Grid& grid, const GridOptions& options);

/// One direction: the local work and its two rounds of exchanges.
class GridHalf {
 public:
  GridHalf(const GridRoute& route, Direction direction, const GridOptions& options, GridTransport& transport,
           const GridArrays& arrays);

  /// Collective over both teams, and through them over the job.
  void run(PlaneSource& source, PhaseClock& clock);

  const GridRoute& route() const { return work_.route(); }

 private:
  GridStrategy strategy_;
  GridTransport& transport_;
  GridWork work_;
};

/// Collective: all ranks construct, execute and destroy it together. The transport must outlive it.
class GridTransform3d {
 public:
  /// grid_problem() must be empty. Plans the local transforms, which takes from milliseconds to seconds.
  GridTransform3d(const Shape& shape, GridTransport& transport, const GridOptions& options);

  Complex* spatial() const { return spatial_; }
  Complex* spectral() const { return spectral_; }
  const GridRoute& forward_route() const { return forward_.route(); }  ///< source: spatial; target: spectral
  const GridRoute& inverse_route() const { return inverse_.route(); }  ///< source: spectral; target: spatial

  /// As those of Transform3d.
  void forward(PhaseClock& clock);
  void inverse(PhaseClock& clock);
  void forward(PlaneSource& source, PhaseClock& clock) { forward_.run(source, clock); }
  void inverse(PlaneSource& source, PhaseClock& clock) { inverse_.run(source, clock); }

 private:
  GridTransform3d(const GridRoute& there, const GridRoute& back, GridTransport& transport, const GridOptions& options);

  Complex* spatial_;
  Complex* spectral_;
  Complex* stage_;  // of both directions, as the inbox
  Complex* inbox_;
  GridHalf forward_;
  GridHalf inverse_;
};

}  // namespace weft::fft
