// Distributed 3-D complex transforms: plan once, execute often.
//
//   weft::fft::OneSided transport;                                     // or another Transport
//   weft::fft::Transform3d fft({256, 256, 128}, transport, {.strategy = Strategy::pencils});
//   fill fft.spatial(); fft.forward(); work on fft.spectral(); fft.inverse();
//
// Layout on each of P ranks (route.hpp explains why), with k = P-th parts:
//   spatial()  [x = 0..nx)[z = the rank's nz/P][y = 0..ny), `pad` elements after each x
//   spectral() [z = 0..nz)[x = the rank's nx/P][y = 0..ny), `pad` elements after each z
#pragma once

#include <functional>
#include <string>

#include "fft/half_transform.hpp"
#include "fft/kernel.hpp"
#include "fft/phases.hpp"
#include "fft/transport.hpp"
#include "fft/types.hpp"

namespace weft::fft {

/// An odd number of cache lines: successive elements of the last transform then lie in different sets of the caches,
/// whatever power of two the extents are. Measured in docs/FFT.md.
constexpr int default_pad = 28;

struct TransformOptions {
  Strategy strategy = Strategy::pencils;
  int pad = default_pad;  ///< complex elements; not negative
  Planning planning;
};

/// Empty if the shape can be divided among the ranks, else what is wrong with it, to be shown to the user.
std::string shape_problem(const Shape& shape, int ranks);

/// Bytes of memory that one rank needs for a Transform3d: all of it, and the part that transport.allocate() gives.
struct MemoryNeed {
  std::size_t total = 0;
  std::size_t shared = 0;
};
/// How many source buffers of a size there will be, as Transport::source_buffers() says.
using SourceBuffers = std::function<std::size_t(std::size_t bytes)>;
MemoryNeed memory_need(const Shape& shape, int ranks, const TransformOptions& options,
                       const SourceBuffers& source_buffers);

/// Collective: all ranks construct, execute and destroy it together. The transport must outlive it.
class Transform3d {
 public:
  /// shape_problem() must be empty. Plans the local transforms, which takes from milliseconds to seconds.
  Transform3d(const Shape& shape, Transport& transport, const TransformOptions& options);

  Complex* spatial() const { return spatial_; }
  Complex* spectral() const { return spectral_; }
  const Route& forward_route() const { return forward_.route(); }  ///< source: spatial; target: spectral
  const Route& inverse_route() const { return inverse_.route(); }  ///< source: spectral; target: spatial

  /// Unnormalised: forward and then inverse multiplies by nx ny nz. The source array keeps its values, and the target
  /// array must no longer be in use by its rank when that rank calls.
  void forward(PhaseClock& clock);
  void inverse(PhaseClock& clock);
  /// The same with the input computed on the fly.
  void forward(PlaneSource& source, PhaseClock& clock) { forward_.run(source, clock); }
  void inverse(PlaneSource& source, PhaseClock& clock) { inverse_.run(source, clock); }

 private:
  Complex* spatial_;
  Complex* spectral_;
  HalfTransform forward_;
  HalfTransform inverse_;
};

}  // namespace weft::fft
