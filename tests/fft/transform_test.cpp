// The distributed transform on every rank, against FFTW's serial transform of the whole array.
#include "fft/transform.hpp"

#include <algorithm>
#include <vector>

#include "fft/one_sided.hpp"
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
using weft::fft::OneSided;
using weft::fft::PhaseClock;
using weft::fft::Rigor;
using weft::fft::Route;
using weft::fft::Shape;
using weft::fft::Strategy;
using weft::fft::Traffic;
using weft::fft::Transform3d;

constexpr Strategy strategies[] = {Strategy::exchange, Strategy::slabs, Strategy::pencils};

struct Case {
  Shape shape;
  int pad;
};

// Extents that the number of ranks divides, odd and even, powers of two and not.
std::vector<Case> cases() {
  const int p = static_cast<int>(weft_size());
  return {{{p, 1, p}, 0}, {{3 * p, 5, 2 * p}, 0}, {{2 * p, 8, 3 * p}, 5}, {{4 * p, 16, 8 * p}, 28}, {{5 * p, 7, p}, 1}};
}

RANK_TEST(Transform3d, equals_the_serial_transform_and_returns) {
  for (const auto& [shape, pad] : cases()) {
    const std::vector<Complex> values = field(shape);
    const std::vector<Complex> spectrum = serial(shape, values, Direction::forward);
    const double n = static_cast<double>(shape.elements());
    for (Strategy strategy : strategies) {
      OneSided transport;
      Transform3d transform(shape, transport, {.strategy = strategy, .pad = pad, .planning = {.rigor = Rigor::quick}});
      const Route& spatial = transform.forward_route();
      const Route& spectral = transform.inverse_route();
      PhaseClock clock;
      // Twice: the second run meets the leftovers of the first.
      for (int round = 0; round < 2; ++round) {
        for_each_element(shape, spatial, 0, true,
                         [&](std::size_t element, std::size_t i) { transform.spatial()[element] = values[i]; });
        transform.forward(clock);
        EXPECT_LT(largest_difference(shape, spectral, 0, false, transform.spectral(), spectrum, 1.0), 1e-13 * n + 1e-14)
            << name(strategy) << " forward " << shape.nx << " " << shape.ny << " " << shape.nz;
        transform.inverse(clock);
        EXPECT_LT(largest_difference(shape, spatial, 0, true, transform.spatial(), values, n), 1e-13 * n + 1e-14)
            << name(strategy) << " inverse " << shape.nx << " " << shape.ny << " " << shape.nz;
      }
    }
  }
}

RANK_TEST(Transform3d, sends_what_the_formulas_say) {
  for (const auto& [shape, pad] : cases()) {
    for (Strategy strategy : strategies) {
      OneSided transport;
      Transform3d transform(shape, transport, {.strategy = strategy, .pad = pad, .planning = {.rigor = Rigor::quick}});
      PhaseClock clock;
      transform.forward(clock);
      const Traffic forward = transport.traffic();
      EXPECT_EQ(forward, expected_traffic(transform.forward_route(), strategy, transport.least_message_bytes()));
      transform.inverse(clock);
      const Traffic inverse{transport.traffic().messages - forward.messages, transport.traffic().bytes - forward.bytes};
      EXPECT_EQ(inverse, expected_traffic(transform.inverse_route(), strategy, transport.least_message_bytes()));
    }
  }
}

RANK_TEST(Transform3d, accounts_for_all_the_time) {
  OneSided transport;
  const int p = static_cast<int>(weft_size());
  Transform3d transform({4 * p, 8, 4 * p}, transport, {.planning = {.rigor = Rigor::quick}});
  PhaseClock clock;
  const auto start = std::chrono::steady_clock::now();
  clock.restart();
  for (int i = 0; i < 20; ++i) transform.forward(clock);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double sum = 0;
  for (double seconds : clock.seconds()) sum += seconds;
  EXPECT_LE(sum, elapsed);
  EXPECT_GT(sum, 0.5 * elapsed);
  EXPECT_GT(clock.seconds()[static_cast<std::size_t>(weft::fft::Phase::local_fft)], 0.0);
}

}  // namespace
