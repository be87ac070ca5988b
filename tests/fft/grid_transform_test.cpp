// The transform on every grid of all ranks, against FFTW's serial transform of the whole array.
#include "fft/grid_transform.hpp"

#include <weft/job.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "fft/team_transport.hpp"
#include "serial_transform.hpp"
#include "support/ranks.hpp"

namespace {

using fft_test::field;
using fft_test::for_each_element;
using fft_test::largest_difference;
using fft_test::serial;
using weft::fft::Complex;
using weft::fft::Direction;
using weft::fft::expected_traffic;
using weft::fft::Grid;
using weft::fft::GridRoute;
using weft::fft::GridStrategy;
using weft::fft::GridTransform3d;
using weft::fft::PhaseClock;
using weft::fft::Rigor;
using weft::fft::Shape;
using weft::fft::TeamTransport;
using weft::fft::Traffic;

constexpr GridStrategy strategies[] = {GridStrategy::packed_slabs, GridStrategy::slabs};

std::vector<Grid> grids() {
  const int p = static_cast<int>(weft_size());
  std::vector<Grid> all;
  for (int ty = 1; ty <= p; ++ty) {
    if (p % ty == 0) all.push_back({ty, p / ty});
  }
  return all;
}

struct Case {
  Shape shape;
  int pad;
};

// Extents that every grid of p ranks divides, odd and even, powers of two and not.
std::vector<Case> cases() {
  const int p = static_cast<int>(weft_size());
  return {{{p, p, p}, 0}, {{3 * p, p, 2 * p}, 1}, {{2 * p, 4 * p, 3 * p}, 5}, {{4 * p, 8 * p, 4 * p}, 28}};
}

RANK_TEST(GridTransform3d, equals_the_serial_transform_and_returns) {
  for (const auto& [shape, pad] : cases()) {
    const std::vector<Complex> values = field(shape);
    const std::vector<Complex> spectrum = serial(shape, values, Direction::forward);
    const double n = static_cast<double>(shape.elements());
    for (const Grid& grid : grids()) {
      for (GridStrategy strategy : strategies) {
        TeamTransport transport(grid);
        GridTransform3d transform(shape, transport,
                                  {.strategy = strategy, .pad = pad, .planning = {.rigor = Rigor::quick}});
        const GridRoute& spatial = transform.forward_route();
        const GridRoute& spectral = transform.inverse_route();
        PhaseClock clock;
        // Twice: the second run meets the leftovers of the first.
        for (int round = 0; round < 2; ++round) {
          for_each_element(shape, spatial.source(), spatial.source_first_y(), true,
                           [&](std::size_t element, std::size_t i) { transform.spatial()[element] = values[i]; });
          transform.forward(clock);
          EXPECT_LT(largest_difference(shape, spectral.source(), spectral.source_first_y(), false, transform.spectral(),
                                       spectrum, 1.0),
                    1e-13 * n + 1e-14)
              << name(strategy) << " forward on " << to_string(grid) << ", nx = " << shape.nx;
          transform.inverse(clock);
          EXPECT_LT(largest_difference(shape, spatial.source(), spatial.source_first_y(), true, transform.spatial(),
                                       values, n),
                    1e-13 * n + 1e-14)
              << name(strategy) << " inverse on " << to_string(grid) << ", nx = " << shape.nx;
        }
      }
    }
  }
}

RANK_TEST(GridTransform3d, sends_what_the_formulas_say) {
  for (const auto& [shape, pad] : cases()) {
    for (const Grid& grid : grids()) {
      for (GridStrategy strategy : strategies) {
        TeamTransport transport(grid);
        GridTransform3d transform(shape, transport,
                                  {.strategy = strategy, .pad = pad, .planning = {.rigor = Rigor::quick}});
        PhaseClock clock;
        transform.forward(clock);
        const Traffic forward = transport.traffic();
        EXPECT_EQ(forward, expected_traffic(transform.forward_route(), strategy));
        transform.inverse(clock);
        const Traffic inverse{transport.traffic().messages - forward.messages,
                              transport.traffic().bytes - forward.bytes};
        EXPECT_EQ(inverse, expected_traffic(transform.inverse_route(), strategy));
      }
    }
  }
}

// Ranks that run ahead must not overwrite what others still read: many transforms without a barrier, ranks out of step.
RANK_TEST(GridTransform3d, needs_no_barrier_between_transforms) {
  const int p = static_cast<int>(weft_size());
  const Shape shape{2 * p, 2 * p, 2 * p};
  const std::vector<Complex> values = field(shape);
  const double n = static_cast<double>(shape.elements());
  for (const Grid& grid : grids()) {
    for (GridStrategy strategy : strategies) {
      TeamTransport transport(grid);
      GridTransform3d transform(shape, transport, {.strategy = strategy, .planning = {.rigor = Rigor::quick}});
      const GridRoute& spatial = transform.forward_route();
      PhaseClock clock;
      for_each_element(shape, spatial.source(), spatial.source_first_y(), true,
                       [&](std::size_t element, std::size_t i) { transform.spatial()[element] = values[i]; });
      double scale = 1;
      for (int round = 0; round < 10; ++round, scale *= n) {
        if (static_cast<int>(weft_rank()) == round % p) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        transform.forward(clock);
        transform.inverse(clock);
      }
      EXPECT_LT(largest_difference(shape, spatial.source(), spatial.source_first_y(), true, transform.spatial(), values,
                                   scale) /
                    scale,
                1e-12)
          << name(strategy) << " on " << to_string(grid);
    }
  }
}

}  // namespace
