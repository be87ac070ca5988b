// A field, and FFTW's serial transform of it: what the tests of the distributed transforms compare with.
#pragma once

#include <fftw3.h>
#include <weft/barrier.h>

#include <mutex>
#include <random>
#include <vector>

#include "fft/types.hpp"
#include "support/ranks.hpp"

namespace fft_test {

using weft::fft::Complex;
using weft::fft::Direction;
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

}  // namespace fft_test
