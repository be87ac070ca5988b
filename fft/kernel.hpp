// The seam to the library of local transforms: batches of 1-D complex FFTs, and nothing else.
// kernel_fftw.cpp is the only file that knows FFTW; another library serves by implementing Batch.
#pragma once

#include <cstddef>
#include <memory>

#include "fft/local_work.hpp"
#include "fft/types.hpp"

namespace weft::fft {

/// `count` transforms of `length` elements. Element i of transform k is at k * distance + i * stride.
struct BatchShape {
  std::size_t length = 0;
  std::size_t count = 1;
  std::size_t in_stride = 1;
  std::size_t in_distance = 0;
  std::size_t out_stride = 1;
  std::size_t out_distance = 0;
};

/// How long planning may search for the fastest kernel. The result does not depend on it beyond rounding.
enum class Rigor { quick, patient };
/// Which library computes: the fastest that serves the shape, or FFTW always.
enum class Kernel { automatic, fftw };

struct Planning {
  Rigor rigor = Rigor::patient;
  Kernel kernel = Kernel::automatic;
  LocalWork local = {};
};

/// Operations of so many transforms, by the plain count 5 n log2 n.
double transform_operations(std::size_t length, std::size_t count);

/// A planned batch; without data there is no plan. Planning overwrites both arrays. Run it on these arrays or on others
/// of the same alignment modulo 64 bytes or 16 bytes, whichever the planned ones had; in place exactly if it was
/// planned in place.
class Batch {
 public:
  Batch() = default;
  Batch(const BatchShape& shape, Direction direction, Complex* in, Complex* out, const Planning& planning);

  void run(Complex* in, Complex* out) const;

 private:
  struct Free {
    void operator()(void* plan) const;
  };
  std::unique_ptr<void, Free> plan_;
  LocalWork local_;
  double operations_ = 0;
};

/// Complex elements that start on a 64-byte boundary, in huge pages where the system has them.
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t elements);
  /// The same, but memory is not touched, and so undefined.
  static AlignedArray untouched(std::size_t elements);

  Complex* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(Complex* data) const;
  };
  std::unique_ptr<Complex, Free> data_;
};

}  // namespace weft::fft
