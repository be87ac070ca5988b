// The benchmark's checksum: 1024 elements of the field, spread over it, summed.
#pragma once

#include <cstddef>
#include <vector>

#include "fft/route.hpp"

namespace ft {

class Checksum {
 public:
  /// route: of the inverse transform (a = z, b = x), whose target array is summed; its y are those from y_first on.
  Checksum(const weft::fft::Shape& shape, const weft::fft::Route& route, std::size_t y_first = 0);

  /// This rank's part of (1/N) sum over j = 1..1024 of u[j mod nx, 3 j mod ny, 5 j mod nz].
  weft::fft::Complex local(const weft::fft::Complex* field) const;

 private:
  std::vector<std::size_t> elements_;  // indices of this rank's share in its array
  double scale_;
};

}  // namespace ft
