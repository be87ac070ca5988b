#include "apps/ft/random.hpp"

#include <bit>
#include <vector>

#include "fft/simd.hpp"

namespace ft {
namespace {

// x 2^-46 for x < 2^46, without a 64-bit integer conversion, which few vector units have: the bits of x under the
// exponent of 2^52 are the number 2^52 + x.
inline double uniform(std::uint64_t x) {
  constexpr std::uint64_t exponent_52 = std::uint64_t{0x433} << 52;
  return (std::bit_cast<double>(x | exponent_52) - 0x1p52) * 0x1p-46;
}

// One step of x for all y. `out` has the real and the imaginary part of each y side by side.
WEFT_FFT_VECTOR_CLONES void random_row(std::uint64_t* states, double* out, std::size_t ny) {
  for (std::size_t y = 0; y < ny; ++y) {
    const std::uint64_t real = states[y] * random_multiplier & random_mask;
    const std::uint64_t imaginary = real * random_multiplier & random_mask;
    states[y] = imaginary;
    out[2 * y] = uniform(real);
    out[2 * y + 1] = uniform(imaginary);
  }
}

}  // namespace

void random_plane(const weft::fft::Shape& shape, std::size_t z, std::size_t y_first, std::size_t y_count,
                  weft::fft::Complex* plane, std::size_t stride) {
  const auto nx = static_cast<std::size_t>(shape.nx);
  const auto ny = static_cast<std::size_t>(shape.ny);
  const std::uint64_t row_jump = random_power(random_multiplier, 2 * nx);
  std::vector<std::uint64_t> states(y_count);
  std::uint64_t state = random_seed * random_power(random_multiplier, 2 * nx * (ny * z + y_first)) & random_mask;
  for (std::uint64_t& first : states) {
    first = state;
    state = state * row_jump & random_mask;
  }
  for (std::size_t x = 0; x < nx; ++x) {
    random_row(states.data(), reinterpret_cast<double*>(plane + x * stride), y_count);
  }
}

}  // namespace ft
