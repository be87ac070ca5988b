// Multiplication against BLAS: random sizes, grids, layouts, offsets and transpositions, by every algorithm.
#include "linalg/blas.hpp"
#include "linalg/random_case.hpp"

using namespace linalg_test;

namespace {

template <class T>
T scalar(Dice& dice) {
  const int64_t kind = dice.between(0, 3);
  if (kind < 2) return T(static_cast<Real<T>>(kind));
  if constexpr (is_complex<T>) return {Real<T>(0.5), Real<T>(-1.25)};
  return T(Real<T>(-0.75));
}

template <class T>
void multiplies_like_blas(uint64_t seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  if (grid.get() == nullptr) return;
  const auto op_a = static_cast<weft_la_op_t>(dice.between(0, 2)), op_b = static_cast<weft_la_op_t>(dice.between(0, 2));
  const auto variant = static_cast<weft_la_variant_t>(dice.between(0, 4));
  const int64_t most = dice.once_in(10) ? 300 : 60;
  const int64_t m = dice.between(0, most), n = dice.between(0, most), k = dice.between(0, 2 * most);
  const T alpha = scalar<T>(dice), beta = scalar<T>(dice);
  const bool aligned = dice.once_in(3);  // as most programs have them
  weft_la_layout_t layouts[3];
  int64_t row[3], column[3];
  const int64_t rows[3] = {op_a == WEFT_LA_NONE ? m : k, op_b == WEFT_LA_NONE ? k : n, m};
  const int64_t columns[3] = {op_a == WEFT_LA_NONE ? k : m, op_b == WEFT_LA_NONE ? n : k, n};
  for (int i = 0; i < 3; ++i) {
    row[i] = aligned ? 0 : dice.between(0, 15);
    column[i] = aligned ? 0 : dice.between(0, 15);
    layouts[i] = random_layout(dice, grid.get(), type_of<T>, row[i] + rows[i] + dice.between(0, 3),
                               column[i] + columns[i] + dice.between(0, 3));
    if (aligned) {
      layouts[i].row_block = layouts[i].column_block = layouts[0].row_block;
      layouts[i].first_row = layouts[i].first_column = 0;
    }
  }
  const TestMatrix<T> a(grid.get(), layouts[0], 1), b(grid.get(), layouts[1], 2), c(grid.get(), layouts[2], 3);

  const std::string what = "seed " + std::to_string(seed) + " (LINALG_SEED), variant " + std::to_string(variant) +
                           ", m n k " + std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) +
                           ", operations " + std::to_string(op_a) + " " + std::to_string(op_b);
  if (beta == T(0))  // what is in C does not matter
    c.for_each([&](int64_t i, int64_t j, T& x) {
      if (i >= row[2] && i < row[2] + m && j >= column[2] && j < column[2] + n)
        x = T(std::numeric_limits<Real<T>>::quiet_NaN());
    });
  ASSERT_EQ(weft_la_gemm(op_a, op_b, m, n, k, &alpha, {a, row[0], column[0]}, {b, row[1], column[1]}, &beta,
                         {c, row[2], column[2]}, variant),
            WEFT_OK)
      << what;

  const auto whole_a = dense<T>(1, layouts[0].rows, layouts[0].columns);
  const auto whole_b = dense<T>(2, layouts[1].rows, layouts[1].columns);
  auto expected = dense<T>(3, layouts[2].rows, layouts[2].columns);
  if (m != 0 && n != 0)
    weft::la::blas::gemm(op_a, op_b, m, n, k, alpha, whole_a.data.data() + row[0] + column[0] * whole_a.rows,
                         whole_a.leading(), whole_b.data.data() + row[1] + column[1] * whole_b.rows, whole_b.leading(),
                         beta, &expected(row[2], column[2]), expected.leading());
  expect_near(c, expected, 8 * epsilon<T> * static_cast<double>(k + 2), what);
}

void multiplies_any(uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return multiplies_like_blas<float>(seed);
    case 1:
      return multiplies_like_blas<double>(seed);
    case 2:
      return multiplies_like_blas<std::complex<float>>(seed);
    default:
      return multiplies_like_blas<std::complex<double>>(seed);
  }
}

RANK_TEST(LinalgGemm, EveryAlgorithmMultipliesLikeBlas) { for_seeds(150, multiplies_any); }

}  // namespace
