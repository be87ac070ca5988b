// A field, and FFTW's serial transform of it: what the tests of the distributed transforms compare with.
#pragma once

#include <fftw3.h>
#include <weft/barrier.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <mutex>
#include <random>
#include <vector>

#include "fft/route.hpp"
#include "fft/types.hpp"
#include "support/ranks.hpp"

namespace fft_test {

using weft::fft::Complex;
using weft::fft::Direction;
using weft::fft::Route;
using weft::fft::Shape;

// The same field on every rank.
inline std::vector<Complex> field(const Shape& shape) {
  auto random = weft_test::random_numbers(shape.elements());
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> values(shape.elements());
  for (Complex& value : values) value = {uniform(random), uniform(random)};
  return values;
}

// Index of (x, y, z) in the undivided array [x][y][z].
inline std::size_t whole(const Shape& shape, std::size_t x, std::size_t y, std::size_t z) {
  return (x * static_cast<std::size_t>(shape.ny) + y) * static_cast<std::size_t>(shape.nz) + z;
}

inline std::vector<Complex> serial(const Shape& shape, std::vector<Complex> values, Direction direction) {
  // FFTW's planner has global state, and ranks may be threads: no rank may plan for the library meanwhile.
  static std::mutex planner;
  weft_barrier();
  std::unique_lock lock(planner);
  auto* raw = reinterpret_cast<fftw_complex*>(values.data());
  fftw_plan plan = fftw_plan_dft_3d(shape.nx, shape.ny, shape.nz, raw, raw, static_cast<int>(direction), FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  lock.unlock();
  weft_barrier();
  return values;
}

// visit(element of a rank's array before a half transform, index in the undivided array) for all elements of an array
// [slow][mine][y] whose rows begin at first_y: forward, of the spatial one (slow = x, mine = z); inverse, of the
// spectral one (slow = z, mine = x).
template <class Visit>
void for_each_element(const Shape& shape, const Route& source, std::size_t first_y, bool spatial, Visit visit) {
  for (std::size_t slow = 0; slow < source.a; ++slow) {
    for (std::size_t mine = 0; mine < source.b_local(); ++mine) {
      for (std::size_t y = 0; y < source.y; ++y) {
        const std::size_t distributed = source.rank * source.b_local() + mine;
        visit(slow * source.source_stride() + mine * source.y + y,
              spatial ? whole(shape, slow, first_y + y, distributed) : whole(shape, distributed, first_y + y, slow));
      }
    }
  }
}

inline double largest_difference(const Shape& shape, const Route& source, std::size_t first_y, bool spatial,
                                 const Complex* mine, const std::vector<Complex>& expected, double scale) {
  double largest = 0;
  for_each_element(shape, source, first_y, spatial, [&](std::size_t element, std::size_t index) {
    largest = std::max(largest, std::abs(mine[element] - scale * expected[index]));
  });
  return largest;
}

}  // namespace fft_test
