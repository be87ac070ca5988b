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

template <class T>
void solves_like_blas(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  if (grid.get() == nullptr) return;
  const auto side = static_cast<weft_la_side_t>(dice.between(0, 1));
  const auto triangle = static_cast<weft_la_triangle_t>(dice.between(0, 1));
  const auto op = static_cast<weft_la_op_t>(dice.between(0, 2));
  const auto diagonal = static_cast<weft_la_diagonal_t>(dice.between(0, 1));
  const int64_t order = dice.between(0, dice.once_in(4) ? 400 : 60), others = dice.between(0, 50);
  const int64_t m = side == WEFT_LA_LEFT ? order : others, n = side == WEFT_LA_LEFT ? others : order;
  const T alpha(static_cast<Real<T>>(dice.between(1, 2)));
  const int64_t row[2] = {dice.between(0, 15), dice.between(0, 15)},
                column[2] = {dice.between(0, 15), dice.between(0, 15)};
  const auto layout_a = random_layout(dice, grid.get(), type_of<T>, row[0] + order, column[0] + order + 1);
  const auto layout_b = random_layout(dice, grid.get(), type_of<T>, row[1] + m + 1, column[1] + n);
  const TestMatrix<T> a(grid.get(), layout_a, 1), b(grid.get(), layout_b, 2);
  // Such that the solution does not grow.
  auto whole = dense<T>(1, layout_a.rows, layout_a.columns);
  const auto scaled = [&](int64_t i, int64_t j, T x) {
    return i - row[0] == j - column[0] ? T(2) : x / static_cast<Real<T>>(order + 1);
  };
  a.for_each([&](int64_t i, int64_t j, T& x) { x = scaled(i, j, x); });
  for (int64_t j = 0; j < whole.columns; ++j)
    for (int64_t i = 0; i < whole.rows; ++i) whole(i, j) = scaled(i, j, whole(i, j));
  const std::string what = "seed " + std::to_string(seed) + " (LINALG_SEED), m n " + std::to_string(m) + " " +
                           std::to_string(n) + ", side triangle op diagonal " + std::to_string(side) +
                           std::to_string(triangle) + std::to_string(op) + std::to_string(diagonal);
  ASSERT_EQ(weft_la_trsm(side, triangle, op, diagonal, m, n, &alpha, {a, row[0], column[0]}, {b, row[1], column[1]}),
            WEFT_OK)
      << what;
  auto expected = dense<T>(2, layout_b.rows, layout_b.columns);
  if (m != 0 && n != 0)
    weft::la::blas::trsm(side, triangle, op, diagonal, m, n, alpha, &whole(row[0], column[0]), whole.leading(),
                         &expected(row[1], column[1]), expected.leading());
  expect_near(b, expected, 20 * epsilon<T> * static_cast<double>(order + 2), what);
}

void solves_any(uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return solves_like_blas<float>(seed);
    case 1:
      return solves_like_blas<double>(seed);
    case 2:
      return solves_like_blas<std::complex<float>>(seed);
    default:
      return solves_like_blas<std::complex<double>>(seed);
  }
}

RANK_TEST(LinalgCholesky, TriangularMatricesAreSolvedLikeInBlas) { for_seeds(60, solves_any); }

// The residual that HPL defines is below its threshold, 16.
template <class T>
void posv_solves(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  if (grid.get() == nullptr) return;
  const auto triangle = static_cast<weft_la_triangle_t>(dice.between(0, 1));
  const int64_t n = dice.between(1, 200), columns = dice.between(1, 3);
  const int64_t spoilt = dice.once_in(5) ? dice.between(0, n - 1) : -1;
  const TestMatrix<T> a(grid.get(), random_layout(dice, grid.get(), type_of<T>, n, n), 3);
  const TestMatrix<T> b(grid.get(), random_layout(dice, grid.get(), type_of<T>, n, columns), 4);
  a.for_each([&](int64_t i, int64_t j, T& x) { x = hermitian<T>(i, j, n, spoilt); });
  int64_t info = -1;
  ASSERT_EQ(weft_la_posv(triangle, n, columns, weft_la_whole(a), weft_la_whole(b), &info), WEFT_OK);
  EXPECT_EQ(info, spoilt + 1) << "seed " << seed;
  if (info != 0) return;
  Dense<T> x(n, columns);
  ASSERT_EQ(weft_la_gather(b, 0, x.data.data(), n), WEFT_OK);
  if (weft_la_grid_row(grid.get()) != 0 || weft_la_grid_column(grid.get()) != 0) return;
  for (int64_t c = 0; c < columns; ++c) {
    double residual = 0, largest_x = 0, largest_b = 0, norm = 0;
    for (int64_t i = 0; i < n; ++i) {
      std::complex<double> sum = -std::complex<double>(element_at<T>(4, i, c));
      double row = 0;
      for (int64_t j = 0; j < n; ++j) {
        const std::complex<double> element(hermitian<T>(i, j, n, -1));
        sum += element * std::complex<double>(x(j, c));
        row += std::abs(element);
      }
      residual = std::max(residual, std::abs(sum));
      norm = std::max(norm, row);
      largest_x = std::max(largest_x, static_cast<double>(std::abs(x(i, c))));
      largest_b = std::max(largest_b, static_cast<double>(std::abs(element_at<T>(4, i, c))));
    }
    EXPECT_LT(residual / (epsilon<T> * (norm * largest_x + largest_b) * static_cast<double>(n)), 16) << "seed " << seed;
  }
}

RANK_TEST(LinalgCholesky, SystemsAreSolvedToTheResidualThatHplAllows) {
  for_seeds(40,
            [](uint64_t seed) { seed % 2 == 0 ? posv_solves<double>(seed) : posv_solves<std::complex<float>>(seed); });
}

RANK_TEST(LinalgCholesky, FactorsLikeLapack) { for_seeds(120, factors_any); }

}  // namespace
