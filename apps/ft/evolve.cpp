#include "apps/ft/evolve.hpp"

#include <cmath>
#include <numbers>

#include "apps/ft/problem.hpp"
#include "apps/ft/random.hpp"
#include "fft/simd.hpp"

namespace ft {
namespace {

// out = in * factors * factor, while the row `upcoming` is fetched from memory: see upcoming_row().
WEFT_FFT_VECTOR_CLONES void scale_row(const double* in, const double* factors, double factor, double* out,
                                      std::size_t doubles, const double* upcoming) {
  constexpr std::size_t line = 8;
  std::size_t i = 0;
  for (; i + line <= doubles; i += line) {
    __builtin_prefetch(upcoming + i, 0, 2);
    for (std::size_t k = i; k < i + line; ++k) out[k] = in[k] * (factors[k] * factor);
  }
  for (; i < doubles; ++i) out[i] = in[i] * (factors[i] * factor);
}

}  // namespace

std::vector<double> decay(int n, std::size_t first, std::size_t count, int t) {
  std::vector<double> factors(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int k = static_cast<int>(first + i);
    const double wave = (k + n / 2) % n - n / 2;
    factors[i] = std::exp(-4.0 * diffusion * std::numbers::pi * std::numbers::pi * wave * wave * t);
  }
  return factors;
}

void EvolvedField::set_iteration(int t) {
  decay_x_ = decay(static_cast<int>(route_.b), route_.rank * route_.b_local(), route_.b_local(), t);
  decay_z_ = decay(static_cast<int>(route_.a), 0, route_.a, t);
  decay_y_.clear();
  for (double factor : decay(static_cast<int>(ny_), y_first_, route_.y, t)) decay_y_.insert(decay_y_.end(), 2, factor);
}

void EvolvedField::load(std::size_t b_local, weft::fft::Complex* work, std::size_t stride) {
  const weft::fft::Complex* row = field_ + b_local * route_.y;
  for (std::size_t z = 0; z < route_.a; ++z) {
    scale_row(reinterpret_cast<const double*>(row + z * route_.source_stride()), decay_y_.data(),
              decay_x_[b_local] * decay_z_[z], reinterpret_cast<double*>(work + z * stride), 2 * route_.y,
              reinterpret_cast<const double*>(field_ + weft::fft::upcoming_row(route_, z, b_local)));
  }
}

void InitialField::load(std::size_t b_local, weft::fft::Complex* work, std::size_t stride) {
  random_plane(shape_, route_.rank * route_.b_local() + b_local, y_first_, route_.y, work, stride);
}

}  // namespace ft
