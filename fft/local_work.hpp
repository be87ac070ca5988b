// How a rank does its local work: for real, or, in a simulated job, by saying what it would take.
#pragma once

#include <cstddef>

#include "fft/types.hpp"

namespace weft::fft {

struct LocalWork {
  /// Else arrays are addresses alone: nothing is computed, copied or planned.
  bool has_data = true;
  /// Told of all work, in floating-point operations and bytes copied; null: nobody wants to know.
  void (*took)(double operations, double bytes) = nullptr;

  void computed(double operations) const {
    if (took != nullptr) took(operations, 0);
  }
  void copied(std::size_t elements, double operations_each = 0) const {
    const auto count = static_cast<double>(elements);
    if (took != nullptr) took(count * operations_each, count * sizeof(Complex));
  }
  /// Elements of an array that only this rank's own work uses.
  std::size_t needed(std::size_t elements) const { return has_data ? elements : 0; }
};

}  // namespace weft::fft
