// In-place transforms of the columns of a row-major matrix, for lengths that are powers of two.
//
// Two of the three dimensions of a distributed transform are columns: their elements are a row apart, and neighbours
// in memory belong to different transforms. FFTW plans such batches well only by luck on a busy machine, and Debian
// builds it without fused multiply-add. Here four neighbouring columns (one cache line) are transformed at a time:
// vectors run across the columns, so no element is ever moved within a vector, real and imaginary parts are kept
// apart between the first and the last pass, and all passes but those two stay in the first-level cache.
// Algorithm: Stockham's self-sorting transform, radix 8, with one or two passes of radix 4 at the end where the
// exponent of two needs them.
#pragma once

#include <cstddef>
#include <vector>

#include "fft/kernel.hpp"
#include "fft/types.hpp"

namespace weft::fft {

class PowerOfTwoColumns {
 public:
  /// Length: a power of two, at least 4. Count: a multiple of 4.
  static bool supports(std::size_t length, std::size_t count);

  PowerOfTwoColumns() = default;
  PowerOfTwoColumns(std::size_t length, std::size_t count, std::size_t stride, Direction direction);

  /// Element i of column k is data[i * stride + k]. Not to be called by two threads at once on one object.
  void run(Complex* data) const;

  struct Pass {
    std::size_t radix;
    std::size_t m;         // butterflies of different twiddle factors
    std::size_t s;         // butterflies that share them: rows that earlier passes have sorted
    std::size_t twiddles;  // index of the first factor of this pass: for each of the m, radix - 1
  };

 private:
  std::size_t count_ = 0;
  std::size_t stride_ = 0;
  Direction direction_ = Direction::forward;
  std::vector<Pass> passes_;
  std::vector<Complex> twiddles_;
  AlignedArray buffer_[2];  // rows of four real parts and four imaginary parts
};

/// Columns by whichever kernel serves: the one above, or FFTW for other lengths or on request.
class Columns {
 public:
  Columns() = default;
  /// Planning may overwrite data, count columns from its start on.
  Columns(std::size_t length, std::size_t count, std::size_t stride, Direction direction, Complex* data,
          const Planning& planning);

  void run(Complex* data) const;

 private:
  LocalWork local_;
  double operations_ = 0;
  bool own_ = false;
  PowerOfTwoColumns power_of_two_;
  Batch batch_;
};

}  // namespace weft::fft
