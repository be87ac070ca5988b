#include "fft/grid_transform.hpp"

namespace weft::fft {

MemoryNeed memory_need(const Shape& shape, const Grid& grid, const GridOptions& options) {
  MemoryNeed need;
  for (Direction direction : {Direction::forward, Direction::inverse}) {
    const GridRoute route = make_grid_route(shape, direction, grid, 0, options.pad);
    // One array, and one of the stage and the inbox, which both directions share.
    need.shared += (route.target().target_elements() + route.share()) * sizeof(Complex);
    need.total += route.a * route.y_source() * sizeof(Complex);
  }
  need.total += need.shared;
  return need;
}

GridHalf::GridHalf(const GridRoute& route, Direction direction, const GridOptions& options, GridTransport& transport,
                   const GridArrays& arrays)
    : strategy_(options.strategy),
      transport_(transport),
      work_(route, direction, options.strategy, arrays, options.planning) {}

void GridHalf::run(PlaneSource& source, PhaseClock& clock) {
  const std::size_t planes = route().b_local();
  const auto send = [&](std::size_t plane) {
    if (strategy_ == GridStrategy::slabs) {
      transport_.start(plane);
    } else if (plane == planes - 1) {
      transport_.start(0);
    }
    clock.lap(Phase::communication);
  };
  transport_.begin(work_.first_round());
  clock.lap(Phase::communication);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    work_.first_plane(plane, source, clock);
    send(plane);
  }
  transport_.finish(clock);

  transport_.begin(work_.second_round());
  clock.lap(Phase::communication);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    work_.second_plane(plane, clock);
    send(plane);
  }
  transport_.finish(clock);
  work_.finish(clock);
}

GridTransform3d::GridTransform3d(const Shape& shape, GridTransport& transport, const GridOptions& options)
    : GridTransform3d(make_grid_route(shape, Direction::forward, transport.grid(), transport.rank(), options.pad),
                      make_grid_route(shape, Direction::inverse, transport.grid(), transport.rank(), options.pad),
                      transport, options) {}

GridTransform3d::GridTransform3d(const GridRoute& there, const GridRoute& back, GridTransport& transport,
                                 const GridOptions& options)
    : spatial_(transport.allocate(back.target().target_elements())),
      spectral_(transport.allocate(there.target().target_elements())),
      stage_(transport.allocate(there.share())),
      inbox_(transport.allocate(there.share())),
      forward_(there, Direction::forward, options, transport, {spectral_, stage_, inbox_}),
      inverse_(back, Direction::inverse, options, transport, {spatial_, stage_, inbox_}) {}

void GridTransform3d::forward(PhaseClock& clock) {
  ArraySource source(forward_route().source(), spatial_);
  forward(source, clock);
}

void GridTransform3d::inverse(PhaseClock& clock) {
  ArraySource source(inverse_route().source(), spectral_);
  inverse(source, clock);
}

}  // namespace weft::fft
