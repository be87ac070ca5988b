// LU with partial pivoting. Rounding decides between pivots that are nearly alike, so the factors are not compared with
// LAPACK's: what defines them is checked. P L U is A, no element of L is larger than 1, info tells the first zero.
#include "linalg/random_case.hpp"

using namespace linalg_test;

namespace {

template <class T>
double magnitude(T x) {
  return static_cast<double>(std::abs(x));
}

template <class T>
void factors_and_pivots(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  if (grid.get() == nullptr) return;
  const int64_t most = dice.once_in(5) ? 300 : 60;
  const int64_t m = dice.between(0, most), n = dice.between(0, most), count = std::min(m, n);
  const int64_t block = dice.once_in(3) ? 32 : 0;  // on a grid of one row such columns are factored where they lie
  const int64_t row = dice.between(0, 15), column = block != 0 ? block * dice.between(0, 2) : dice.between(0, 15);
  const int64_t zero = count != 0 && dice.once_in(5) ? dice.between(0, count - 1) : -1;
  auto layout =
      random_layout(dice, grid.get(), type_of<T>, row + m + dice.between(0, 3), column + n + dice.between(0, 3));
  if (block != 0) layout.column_block = block;
  const TestMatrix<T> a(grid.get(), layout, 1);
  const std::string what = "seed " + std::to_string(seed) + " (LINALG_SEED), m n " + std::to_string(m) + " " +
                           std::to_string(n) + ", zero column " + std::to_string(zero);
  if (zero >= 0)
    a.for_each([&](int64_t, int64_t j, T& x) {
      if (j == column + zero) x = T(0);
    });
  std::vector<int64_t> pivots(static_cast<size_t>(count) + 1, -7);
  int64_t info = -1;
  ASSERT_EQ(weft_la_getrf(m, n, {a, row, column}, pivots.data(), &info), WEFT_OK) << what;
  EXPECT_EQ(info, zero + 1) << what;
  EXPECT_EQ(pivots.back(), -7) << what;

  Dense<T> whole(layout.rows, layout.columns);
  ASSERT_EQ(weft_la_gather(a, 0, whole.data.data(), whole.leading()), WEFT_OK);
  if (weft_la_grid_row(grid.get()) != 0 || weft_la_grid_column(grid.get()) != 0) return;
  std::vector<int64_t> rows(static_cast<size_t>(m));  // row i of P^T A is this one of A
  for (int64_t i = 0; i < m; ++i) rows[static_cast<size_t>(i)] = i;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t pivot = pivots[static_cast<size_t>(i)];
    ASSERT_TRUE(pivot >= i && pivot < m) << what << ": pivot " << i << " is " << pivot;
    std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(pivot)]);
  }
  double worst = 0, largest_l = 0;
  for (int64_t j = 0; j < layout.columns; ++j)
    for (int64_t i = 0; i < layout.rows; ++i) {
      const int64_t r = i - row, c = j - column;
      T expected = zero >= 0 && j == column + zero ? T(0) : element_at<T>(1, i, j);
      T found = whole(i, j);
      if (r >= 0 && r < m && c >= 0 && c < n) {
        expected = c == zero ? T(0) : element_at<T>(1, row + rows[static_cast<size_t>(r)], j);
        if (r > c) largest_l = std::max(largest_l, magnitude(found));
        found = r <= c ? found : T(0);  // L's diagonal is 1
        for (int64_t k = 0; k < std::min({r, c + 1, count}); ++k) found += whole(i, column + k) * whole(row + k, j);
      }
      const double error = magnitude(found - expected);
      worst = error <= worst ? worst : error;
    }
  EXPECT_LE(worst, 20 * epsilon<T> * static_cast<double>(count + 2)) << what;
  // Complex pivots are chosen by |re| + |im|, so up to the square root of 2 by magnitude.
  EXPECT_LE(largest_l, (is_complex<T> ? 1.4143 : 1) * (1 + 4 * epsilon<T>)) << what;
}

template <class T>
void solves(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  if (grid.get() == nullptr) return;
  const int64_t n = dice.between(1, dice.once_in(4) ? 300 : 80), columns = dice.between(1, 3);
  const auto op = static_cast<weft_la_op_t>(dice.between(0, 2));
  const bool singular = dice.once_in(6);
  const TestMatrix<T> a(grid.get(), random_layout(dice, grid.get(), type_of<T>, n, n), 1);
  const TestMatrix<T> b(grid.get(), random_layout(dice, grid.get(), type_of<T>, n, columns), 2);
  const auto element = [&](int64_t i, int64_t j) {  // far from singular, and its pivots are not on the diagonal
    const bool large = (i + 1) % n == j;
    return singular && j == 0 ? T(0) : element_at<T>(1, i, j) + T(static_cast<Real<T>>(large ? n : 0));
  };
  a.for_each([&](int64_t i, int64_t j, T& x) { x = element(i, j); });
  std::vector<int64_t> pivots(static_cast<size_t>(n));
  int64_t info = -1;
  const std::string what =
      "seed " + std::to_string(seed) + " (LINALG_SEED), n " + std::to_string(n) + ", operation " + std::to_string(op);
  if (op == WEFT_LA_NONE) {
    ASSERT_EQ(weft_la_gesv(n, columns, weft_la_whole(a), pivots.data(), weft_la_whole(b), &info), WEFT_OK);
  } else {
    ASSERT_EQ(weft_la_getrf(n, n, weft_la_whole(a), pivots.data(), &info), WEFT_OK);
    const int status =
        info != 0 ? WEFT_OK : weft_la_getrs(op, n, columns, weft_la_whole(a), pivots.data(), weft_la_whole(b));
    ASSERT_EQ(status, WEFT_OK);
  }
  EXPECT_EQ(info, singular ? 1 : 0) << what;
  Dense<T> x(n, columns);
  ASSERT_EQ(weft_la_gather(b, 0, x.data.data(), n), WEFT_OK);
  if (weft_la_grid_row(grid.get()) != 0 || weft_la_grid_column(grid.get()) != 0) return;
  double worst = 0;  // the residual, or what has changed of B
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t i = 0; i < n; ++i) {
      T sum = -element_at<T>(2, i, c);
      if (info != 0) {
        sum += x(i, c);
      } else {
        for (int64_t j = 0; j < n; ++j) {
          const T factor = op == WEFT_LA_NONE ? element(i, j) : element(j, i);
          sum += (op == WEFT_LA_CONJUGATE ? weft::la::conjugate(factor) : factor) * x(j, c);
        }
      }
      worst = magnitude(sum) <= worst ? worst : magnitude(sum);
    }
  EXPECT_LE(worst, info != 0 ? 0 : 30 * epsilon<T> * static_cast<double>(n + 2)) << what;
}

RANK_TEST(LinalgLu, FactorsOfRandomMatricesArePivoted) {
  for_seeds(80, [](uint64_t seed) {
    switch (seed % 4) {
      case 0:
        return factors_and_pivots<float>(seed);
      case 1:
        return factors_and_pivots<double>(seed);
      case 2:
        return factors_and_pivots<std::complex<float>>(seed);
      default:
        return factors_and_pivots<std::complex<double>>(seed);
    }
  });
}

RANK_TEST(LinalgLu, SystemsAreSolvedAndSingularOnesAreTold) {
  for_seeds(60, [](uint64_t seed) {
    switch (seed % 4) {
      case 0:
        return solves<float>(seed);
      case 1:
        return solves<double>(seed);
      case 2:
        return solves<std::complex<float>>(seed);
      default:
        return solves<std::complex<double>>(seed);
    }
  });
}

}  // namespace
