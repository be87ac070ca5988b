// Arrays in the segment, for transports over Weft.
#pragma once

#include <cstddef>
#include <vector>

#include "fft/types.hpp"

namespace weft::fft {

/// Throws std::runtime_error, naming the operation, unless status is WEFT_OK.
void check(int status, const char* operation);

/// Arrays at the same offset on every rank; freed, by all ranks together, with the object.
class SegmentArrays {
 public:
  SegmentArrays() = default;
  ~SegmentArrays();
  SegmentArrays(const SegmentArrays&) = delete;
  SegmentArrays& operator=(const SegmentArrays&) = delete;

  /// Collective. Page aligned, in huge pages where there are any: columns are read and written with strides of many
  /// pages. Without data in a job that is simulated so.
  Complex* allocate(std::size_t elements);

 private:
  std::vector<std::size_t> offsets_;
};

}  // namespace weft::fft
