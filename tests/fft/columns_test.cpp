// The local kernels against the definition of the transform.
#include "fft/columns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace {

using weft::fft::AlignedArray;
using weft::fft::Complex;
using weft::fft::Direction;
using weft::fft::Kernel;
using weft::fft::Planning;
using weft::fft::PowerOfTwoColumns;
using weft::fft::Rigor;

std::vector<Complex> definition(const std::vector<Complex>& in, Direction direction) {
  const std::size_t n = in.size();
  std::vector<Complex> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      out[k] += in[j] * std::polar(1.0, static_cast<int>(direction) * angle);
    }
  }
  return out;
}

// Fills a matrix with random numbers, transforms its columns and compares each column with the definition. What lies
// beside the columns must stay as it is.
template <class Run>
void expect_columns_transformed(std::size_t length, std::size_t count, std::size_t stride, Direction direction,
                                Run run) {
  std::mt19937_64 random(length * 1000 + count);
  std::uniform_real_distribution<double> uniform(-1, 1);
  AlignedArray array(length * stride);
  std::vector<Complex> before(length * stride);
  for (Complex& value : before) value = {uniform(random), uniform(random)};
  std::copy(before.begin(), before.end(), array.data());
  run(array.data());
  for (std::size_t column = 0; column < stride; ++column) {
    std::vector<Complex> in(length);
    for (std::size_t i = 0; i < length; ++i) in[i] = before[i * stride + column];
    const std::vector<Complex> expected = column < count ? definition(in, direction) : in;
    for (std::size_t i = 0; i < length; ++i) {
      ASSERT_LT(std::abs(array.data()[i * stride + column] - expected[i]), 1e-13 * static_cast<double>(length))
          << "length " << length << ", column " << column << ", element " << i;
    }
  }
}

TEST(PowerOfTwoColumns, EqualTheDefinitionForEveryLengthAndDirection) {
  for (std::size_t length = 4; length <= 1024; length *= 2) {
    for (Direction direction : {Direction::forward, Direction::inverse}) {
      for (std::size_t gap : {0u, 3u}) {
        const PowerOfTwoColumns columns(length, 8, 8 + gap, direction);
        expect_columns_transformed(length, 8, 8 + gap, direction, [&](Complex* data) { columns.run(data); });
      }
    }
  }
}

TEST(PowerOfTwoColumns, SupportOnlyWhatTheyCanDo) {
  EXPECT_TRUE(PowerOfTwoColumns::supports(4, 4));
  EXPECT_TRUE(PowerOfTwoColumns::supports(8192, 12));
  EXPECT_FALSE(PowerOfTwoColumns::supports(2, 4));
  EXPECT_FALSE(PowerOfTwoColumns::supports(96, 4));
  EXPECT_FALSE(PowerOfTwoColumns::supports(64, 6));
}

TEST(Columns, EqualTheDefinitionWithEitherKernel) {
  for (Kernel kernel : {Kernel::automatic, Kernel::fftw}) {
    for (std::size_t length : {1u, 2u, 3u, 7u, 12u, 16u, 30u}) {
      for (std::size_t count : {1u, 4u, 5u}) {
        const Planning planning{.rigor = Rigor::quick, .kernel = kernel};
        AlignedArray scratch(length * 6);
        const weft::fft::Columns columns(length, count, 6, Direction::inverse, scratch.data(), planning);
        expect_columns_transformed(length, count, 6, Direction::inverse, [&](Complex* data) { columns.run(data); });
      }
    }
  }
}

}  // namespace
