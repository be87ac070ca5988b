// Factorisation and solving against LAPACK.
#include "linalg/blas.hpp"
#include "linalg/random_case.hpp"

using namespace linalg_test;

namespace {

// A Hermitian matrix with a dominant diagonal, but for the diagonal element number `spoilt`, which is negative.
template <class T>
T hermitian(int64_t i, int64_t j, int64_t n, int64_t spoilt) {
  if (i == j) return T(static_cast<Real<T>>(i == spoilt ? -1 : 2 * n));
  return i > j ? element_at<T>(7, i, j) : weft::la::conjugate(element_at<T>(7, j, i));
}

template <class T>
Dense<T> hermitian(int64_t n, int64_t spoilt) {
  Dense<T> whole(n, n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) whole(i, j) = hermitian<T>(i, j, n, spoilt);
  return whole;
}

template <class T>
void factors_like_lapack(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  if (grid.get() == nullptr) return;
  const auto triangle = static_cast<weft_la_triangle_t>(dice.between(0, 1));
  const int64_t n = dice.between(0, dice.once_in(10) ? 300 : 70);
  const int64_t spoilt = n != 0 && dice.once_in(5) ? dice.between(0, n - 1) : -1;
  const bool in_place = dice.once_in(2);
  int64_t row = dice.between(0, 15), column = dice.between(0, 15);
  weft_la_layout_t layout =
      random_layout(dice, grid.get(), type_of<T>, row + n + dice.between(0, 3), column + n + dice.between(0, 3));
  if (in_place) {
    layout.column_block = layout.row_block;
    row = row / layout.row_block * layout.row_block;
    column = column / layout.row_block * layout.row_block;
  }
  const std::string what = "seed " + std::to_string(seed) + " (LINALG_SEED), n " + std::to_string(n) + ", triangle " +
                           std::to_string(triangle) + ", spoilt " + std::to_string(spoilt);
  const TestMatrix<T> a(grid.get(), layout, 3);
  const auto in_triangle = [&](int64_t i, int64_t j) {
    return i >= 0 && j >= 0 && i < n && j < n && (triangle == WEFT_LA_LOWER ? i >= j : i <= j);
  };
  a.for_each([&](int64_t i, int64_t j, T& x) {
    if (in_triangle(i - row, j - column)) x = hermitian<T>(i - row, j - column, n, spoilt);
  });
  Dense<T> factor = hermitian<T>(n, spoilt);
  const int64_t expected_info = weft::la::blas::potrf_lower(n, factor.data.data(), factor.leading());
  int64_t info = -1;
  ASSERT_EQ(weft_la_potrf(triangle, n, {a, row, column}, &info), WEFT_OK) << what;
  EXPECT_EQ(info, expected_info) << what;
  auto expected = dense<T>(3, layout.rows, layout.columns);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i)
      if (in_triangle(i, j))
        expected(row + i, column + j) = triangle == WEFT_LA_LOWER ? factor(i, j) : weft::la::conjugate(factor(j, i));
  if (info != 0)  // the triangle is undefined then, and nothing else is touched
    a.for_each([&](int64_t i, int64_t j, T& x) {
      if (in_triangle(i - row, j - column)) x = expected(i, j);
    });
  expect_near(a, expected, 8 * epsilon<T> * static_cast<double>(n + 2), what);
}

void factors_any(uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return factors_like_lapack<float>(seed);
    case 1:
      return factors_like_lapack<double>(seed);
    case 2:
      return factors_like_lapack<std::complex<float>>(seed);
    default:
      return factors_like_lapack<std::complex<double>>(seed);
  }
}

RANK_TEST(LinalgCholesky, FactorsLikeLapack) { for_seeds(120, factors_any); }

}  // namespace
