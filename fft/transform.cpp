#include "fft/transform.hpp"

#include <algorithm>

namespace weft::fft {

std::string shape_problem(const Shape& shape, int ranks) {
  const auto extents = std::to_string(shape.nx) + " x " + std::to_string(shape.ny) + " x " + std::to_string(shape.nz);
  if (shape.nx < 1 || shape.ny < 1 || shape.nz < 1) return "the extents " + extents + " must all be positive";
  const int planes = std::min(shape.nx, shape.nz);
  if (ranks > planes) {
    return std::to_string(ranks) + " ranks are more than the " + std::to_string(planes) + " planes of " + extents +
           "; use at most " + std::to_string(planes) + " ranks";
  }
  if (shape.nx % ranks != 0 || shape.nz % ranks != 0) {
    return std::to_string(ranks) + " ranks do not divide both nx = " + std::to_string(shape.nx) +
           " and nz = " + std::to_string(shape.nz) + "; use a number of ranks that divides both";
  }
  return {};
}

MemoryNeed memory_need(const Shape& shape, int ranks, const TransformOptions& options,
                       const SourceBuffers& source_buffers) {
  MemoryNeed need;
  for (Direction direction : {Direction::forward, Direction::inverse}) {
    const Route route = make_route(shape, direction, ranks, 0, options.pad);
    const std::size_t plane = route.a * route.y * sizeof(Complex);
    need.shared += route.target_elements() * sizeof(Complex);
    need.total += plane;
    if (options.strategy == Strategy::slabs) need.total += plane * source_buffers(plane);
    if (options.strategy == Strategy::exchange) {
      need.total += route.ranks * route.b_local() * route.target_stride() * sizeof(Complex);
    }
  }
  need.total += need.shared;
  return need;
}

Transform3d::Transform3d(const Shape& shape, Transport& transport, const TransformOptions& options)
    : spatial_(transport.allocate(
          make_route(shape, Direction::forward, transport.size(), 0, options.pad).source_elements())),
      spectral_(transport.allocate(
          make_route(shape, Direction::inverse, transport.size(), 0, options.pad).source_elements())),
      forward_(make_route(shape, Direction::forward, transport.size(), transport.rank(), options.pad),
               Direction::forward, options.strategy, transport, spectral_, options.planning),
      inverse_(make_route(shape, Direction::inverse, transport.size(), transport.rank(), options.pad),
               Direction::inverse, options.strategy, transport, spatial_, options.planning) {}

void Transform3d::forward(PhaseClock& clock) {
  ArraySource source(forward_.route(), spatial_);
  forward_.run(source, clock);
}

void Transform3d::inverse(PhaseClock& clock) {
  ArraySource source(inverse_.route(), spectral_);
  inverse_.run(source, clock);
}

}  // namespace weft::fft
