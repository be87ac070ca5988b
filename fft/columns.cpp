#include "fft/columns.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "fft/simd.hpp"

// Everything here is inlined into the two entry functions, which are compiled once per instruction set.
#define WEFT_FFT_INLINE __attribute__((always_inline)) inline
// Which registers vectors are passed in differs between instruction sets; inlined functions pass none.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace weft::fft {
namespace {

constexpr std::size_t width = 4;           // columns at a time: a cache line of them
constexpr std::size_t row = 2 * width;     // doubles of a row of a block
constexpr std::size_t prefetch_ahead = 2;  // blocks, to the second-level cache: the first has no room for them

using Vector = double __attribute__((vector_size(width * sizeof(double))));

struct Elements {  // one element of each of the columns
  Vector re, im;
};

WEFT_FFT_INLINE Vector load(const double* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
WEFT_FFT_INLINE void store(double* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }

// The outer passes read and write complex numbers. Taking them apart reorders the columns within the vectors, and
// putting them together restores the order.
template <bool interleaved>
WEFT_FFT_INLINE Elements load_row(const double* from) {
  const Vector first = load(from);
  const Vector second = load(from + width);
  if constexpr (!interleaved) return {first, second};
  return {__builtin_shufflevector(first, second, 0, 4, 2, 6), __builtin_shufflevector(first, second, 1, 5, 3, 7)};
}

template <bool interleaved>
WEFT_FFT_INLINE void store_row(double* to, const Elements& e) {
  if constexpr (interleaved) {
    store(to, __builtin_shufflevector(e.re, e.im, 0, 4, 2, 6));
    store(to + width, __builtin_shufflevector(e.re, e.im, 1, 5, 3, 7));
  } else {
    store(to, e.re);
    store(to + width, e.im);
  }
}

WEFT_FFT_INLINE Elements operator+(const Elements& x, const Elements& y) { return {x.re + y.re, x.im + y.im}; }
WEFT_FFT_INLINE Elements operator-(const Elements& x, const Elements& y) { return {x.re - y.re, x.im - y.im}; }
WEFT_FFT_INLINE Elements operator*(const Elements& x, const Complex& w) {
  return {x.re * w.real() - x.im * w.imag(), x.re * w.imag() + x.im * w.real()};
}

// Times the primitive fourth root of unity of the direction: -i forward, i inverse.
template <bool inverse>
WEFT_FFT_INLINE Elements quarter_turn(const Elements& x) {
  return inverse ? Elements{-x.im, x.re} : Elements{x.im, -x.re};
}

template <bool inverse>
WEFT_FFT_INLINE void butterfly4(Elements& x0, Elements& x1, Elements& x2, Elements& x3) {
  const Elements a = x0 + x2, b = x0 - x2, c = x1 + x3, d = quarter_turn<inverse>(x1 - x3);
  x0 = a + c;
  x1 = b + d;
  x2 = a - c;
  x3 = b - d;
}

template <bool inverse>
WEFT_FFT_INLINE void butterfly8(Elements* x) {
  butterfly4<inverse>(x[0], x[2], x[4], x[6]);
  butterfly4<inverse>(x[1], x[3], x[5], x[7]);
  constexpr double h = std::numbers::sqrt2 / 2;
  const Elements o1 = x[3], o3 = x[7];
  const Elements r1 = quarter_turn<inverse>(o1), r3 = quarter_turn<inverse>(o3);
  const Elements even[4] = {x[0], x[2], x[4], x[6]};
  // odd[k] times the k-th power of the eighth root, (1 -+ i) / sqrt 2.
  const Elements odd[4] = {x[1], Elements{(o1.re + r1.re) * h, (o1.im + r1.im) * h}, quarter_turn<inverse>(x[5]),
                           Elements{(r3.re - o3.re) * h, (r3.im - o3.im) * h}};
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

// One pass over a block: n = radix m s rows; row q + s (p + m r) in, row q + s (radix p + k) out. The first pass reads
// complex columns of the matrix, the last one (m = 1, where all factors are 1) writes them; strides in doubles.
template <std::size_t radix, bool inverse, bool first, bool last>
WEFT_FFT_INLINE void run_butterflies(const PowerOfTwoColumns::Pass& pass, const Complex* twiddles, const double* in,
                                     std::size_t in_stride, double* out, std::size_t out_stride) {
  const std::size_t m = last ? 1 : pass.m;
  const std::size_t s = first ? 1 : pass.s;
  for (std::size_t p = 0; p < m; ++p) {
    const Complex* w = twiddles + pass.twiddles + p * (radix - 1);
    for (std::size_t q = 0; q < s; ++q) {
      Elements x[radix];
      for (std::size_t r = 0; r < radix; ++r) {
        const double* from = in + (q + s * (p + m * r)) * in_stride;
        if (first) __builtin_prefetch(from + prefetch_ahead * row, 0, 2);
        x[r] = load_row<first>(from);
      }
      if constexpr (radix == 4) {
        butterfly4<inverse>(x[0], x[1], x[2], x[3]);
      } else {
        butterfly8<inverse>(x);
      }
      for (std::size_t k = 0; k < radix; ++k) {
        const Elements y = k == 0 || last ? x[k] : x[k] * w[k - 1];
        store_row<last>(out + (q + s * (radix * p + k)) * out_stride, y);
      }
    }
  }
}

template <bool inverse, bool first, bool last>
WEFT_FFT_INLINE void run_pass(const PowerOfTwoColumns::Pass& pass, const Complex* twiddles, const double* in,
                              std::size_t in_stride, double* out, std::size_t out_stride) {
  if (pass.radix == 4) {
    run_butterflies<4, inverse, first, last>(pass, twiddles, in, in_stride, out, out_stride);
  } else {
    run_butterflies<8, inverse, first, last>(pass, twiddles, in, in_stride, out, out_stride);
  }
}

template <bool inverse>
WEFT_FFT_INLINE void run_block(const std::vector<PowerOfTwoColumns::Pass>& passes, const Complex* twiddles,
                               double* block, std::size_t stride, double* here, double* there) {
  if (passes.size() == 1) {
    // The butterfly holds the whole block in registers before it writes.
    run_pass<inverse, true, true>(passes.front(), twiddles, block, stride, block, stride);
    return;
  }
  run_pass<inverse, true, false>(passes.front(), twiddles, block, stride, here, row);
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    run_pass<inverse, false, false>(passes[i], twiddles, here, row, there, row);
    std::swap(here, there);
  }
  run_pass<inverse, false, true>(passes.back(), twiddles, here, row, block, stride);
}

template <bool inverse>
WEFT_FFT_INLINE void run_blocks(const std::vector<PowerOfTwoColumns::Pass>& passes, const Complex* twiddles,
                                double* data, std::size_t count, std::size_t stride, double* here, double* there) {
  for (std::size_t column = 0; column < count; column += width) {
    run_block<inverse>(passes, twiddles, data + 2 * column, 2 * stride, here, there);
  }
}

WEFT_FFT_VECTOR_CLONES void run_forward(const std::vector<PowerOfTwoColumns::Pass>& passes, const Complex* twiddles,
                                        double* data, std::size_t count, std::size_t stride, double* here,
                                        double* there) {
  run_blocks<false>(passes, twiddles, data, count, stride, here, there);
}

WEFT_FFT_VECTOR_CLONES void run_inverse(const std::vector<PowerOfTwoColumns::Pass>& passes, const Complex* twiddles,
                                        double* data, std::size_t count, std::size_t stride, double* here,
                                        double* there) {
  run_blocks<true>(passes, twiddles, data, count, stride, here, there);
}

}  // namespace

bool PowerOfTwoColumns::supports(std::size_t length, std::size_t count) {
  return std::has_single_bit(length) && length >= 4 && count % width == 0;
}

PowerOfTwoColumns::PowerOfTwoColumns(std::size_t length, std::size_t count, std::size_t stride, Direction direction)
    : count_(count),
      stride_(stride),
      direction_(direction),
      buffer_{AlignedArray(length * width), AlignedArray(length * width)} {
  std::size_t s = 1;
  for (std::size_t left = length; left > 1;) {
    const std::size_t radix = left % 8 == 0 && left != 16 ? 8 : 4;
    const std::size_t m = left / radix;
    passes_.push_back({radix, m, s, twiddles_.size()});
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t k = 1; k < radix; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(p * k) / static_cast<double>(left);
        twiddles_.push_back(std::polar(1.0, static_cast<int>(direction) * angle));
      }
    }
    left = m;
    s *= radix;
  }
}

void PowerOfTwoColumns::run(Complex* data) const {
  auto* raw = reinterpret_cast<double*>(data);
  auto* here = reinterpret_cast<double*>(buffer_[0].data());
  auto* there = reinterpret_cast<double*>(buffer_[1].data());
  const auto run_all = direction_ == Direction::forward ? run_forward : run_inverse;
  run_all(passes_, twiddles_.data(), raw, count_, stride_, here, there);
}

Columns::Columns(std::size_t length, std::size_t count, std::size_t stride, Direction direction, Complex* data,
                 const Planning& planning)
    : local_(planning.local),
      operations_(transform_operations(length, count)),
      own_(planning.kernel == Kernel::automatic && PowerOfTwoColumns::supports(length, count)) {
  if (own_ && local_.has_data) {
    power_of_two_ = PowerOfTwoColumns(length, count, stride, direction);
  } else if (!own_) {
    batch_ = Batch({length, count, stride, 1, stride, 1}, direction, data, data, planning);
  }
}

void Columns::run(Complex* data) const {
  if (!own_) return batch_.run(data, data);
  local_.computed(operations_);
  if (local_.has_data) power_of_two_.run(data);
}

}  // namespace weft::fft
