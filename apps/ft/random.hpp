// The benchmark's random numbers: x <- 5^13 x mod 2^46, uniform in (0, 1) as x 2^-46.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fft/types.hpp"

namespace ft {

constexpr std::uint64_t random_multiplier = 1220703125;  // 5^13
constexpr std::uint64_t random_seed = 314159265;
constexpr std::uint64_t random_mask = (std::uint64_t{1} << 46) - 1;

/// base^exponent mod 2^46: the multiplier that jumps `exponent` steps ahead at once.
constexpr std::uint64_t random_power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * base & random_mask;
    base = base * base & random_mask;
  }
  return result;
}

/// Initial values of rows y = y_first .. y_first + y_count - 1 of plane z of the field: element (x, y) goes to
/// plane[x * stride + y - y_first]. In the benchmark's order x runs fastest; the rows y are independent streams here,
/// each started by its own jump, so that the loop over y vectorises and the values come in the order in which they are
/// stored.
void random_plane(const weft::fft::Shape& shape, std::size_t z, std::size_t y_first, std::size_t y_count,
                  weft::fft::Complex* plane, std::size_t stride);

}  // namespace ft
