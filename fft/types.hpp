// Names shared by the parts of the distributed FFT.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string_view>

namespace weft::fft {

using Complex = std::complex<double>;

/// Extents of a 3-D array. y is the fastest dimension of every array of this library; which of x and z is
/// slowest depends on the side of the transform (see transform.hpp).
struct Shape {
  int nx = 0;
  int ny = 0;
  int nz = 0;

  std::size_t elements() const {
    return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
  }
};

/// Sign of the exponent, as every FFT library defines it. Neither direction is normalised.
enum class Direction { forward = -1, inverse = +1 };

/// How much is transformed before it is sent: everything, one plane, a row.
enum class Strategy { exchange, slabs, pencils };

constexpr std::string_view name(Strategy strategy) {
  switch (strategy) {
    case Strategy::exchange:
      return "exchange";
    case Strategy::slabs:
      return "slabs";
    case Strategy::pencils:
      return "pencils";
  }
  return "";
}

constexpr std::optional<Strategy> parse_strategy(std::string_view text) {
  for (Strategy strategy : {Strategy::exchange, Strategy::slabs, Strategy::pencils}) {
    if (name(strategy) == text) return strategy;
  }
  return std::nullopt;
}

}  // namespace weft::fft
