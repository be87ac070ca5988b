// The problems, by whose rules all libraries are measured and verified alike. A Library has
//
//   Matrix(library, rows, columns)    doubles, with fill(element), infinity_norm(), largest_element()
//   product(a, b, c, n)               C = A B, in the way that is measured
//   multiply(alpha, a, b, beta, c, m, n, k)
//   factor_cholesky(a), solve_cholesky(factor, x, n)
//   factor_lu(a, n), which returns the pivots; solve_lu(factor, pivots, x, n)
//   barrier(), largest(value) over the ranks, speaks() on one of them
//   now(), seconds since some moment
//
// and throws std::runtime_error where it cannot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "apps/linalg/options.hpp"

namespace linalg_app {

/// Residuals are below it, as HPL's.
inline constexpr double threshold = 16;

inline Result result_of(double seconds, double flops, double residual) {
  return {seconds, flops, residual, residual < threshold};
}

/// The fastest repetition of `work`, before each of which `prepare` is called; by the slowest rank's clock.
template <class Library, class Prepare, class Work>
double fastest(const Options& options, Library& library, Prepare prepare, Work work) {
  double seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.repeat; ++i) {
    prepare();
    library.barrier();
    const double start = library.now();
    work();
    const double taken = library.largest(library.now() - start);
    if (options.progress && library.speaks()) std::printf("repetition %d: %.4f s\n", i + 1, taken);
    seconds = std::min(seconds, taken);
  }
  return seconds;
}

/// Random elements from -0.5 to 0.5.
inline auto random_elements(uint64_t matrix) {
  return [matrix](int64_t i, int64_t j) { return random_at(matrix, i, j); };
}

/// HPL's residual of x as solution of A x = b: |A x - b| / (eps (|A| |x| + |b|) n) in the infinity norm. `b` is lost.
template <class Matrix, class Library>
double residual_of_solution(Library& library, Matrix& a, Matrix& x, Matrix& b, int64_t n) {
  const double norm_b = b.largest_element();
  library.multiply(1, a, x, -1, b, n, 1, n);
  return b.largest_element() / (std::numeric_limits<double>::epsilon() *
                                (a.infinity_norm() * x.largest_element() + norm_b) * static_cast<double>(n));
}

/// C = A B of random matrices, checked with a random vector x: the residual is
/// |C x - A (B x)| / (|A| |B| |x| n eps) in the infinity norm.
template <class Library>
Result multiplication(const Options& options, Library& library) {
  using Matrix = typename Library::Matrix;
  const int64_t n = options.n;
  Matrix a(library, n, n), b(library, n, n), c(library, n, n);
  a.fill(random_elements(1));
  b.fill(random_elements(2));
  const double seconds = fastest(
      options, library, [] {}, [&] { library.product(a, b, c, n); });

  Matrix x(library, n, 1), product(library, n, 1), difference(library, n, 1);
  x.fill(random_elements(3));
  library.multiply(1, b, x, 0, product, n, 1, n);
  library.multiply(1, c, x, 0, difference, n, 1, n);
  library.multiply(-1, a, product, 1, difference, n, 1, n);
  const double order = static_cast<double>(n);
  const double scale = a.infinity_norm() * b.infinity_norm() * x.largest_element() * order;
  const double residual = difference.largest_element() / (scale * std::numeric_limits<double>::epsilon());
  return result_of(seconds, 2 * order * order * order, residual);
}

/// The Cholesky factor of a random matrix, checked by solving with it. The matrix is symmetric, and positive definite
/// since the diagonal outweighs the sum of the others. Only the factorisation is timed.
template <class Library>
Result cholesky(const Options& options, Library& library) {
  using Matrix = typename Library::Matrix;
  const int64_t n = options.n;
  const auto elements = [n](int64_t i, int64_t j) {
    return i == j ? static_cast<double>(n) : random_at(1, std::max(i, j), std::min(i, j));
  };
  Matrix factor(library, n, n);
  const double seconds = fastest(
      options, library, [&] { factor.fill(elements); }, [&] { library.factor_cholesky(factor, n); });

  Matrix a(library, n, n), x(library, n, 1), b(library, n, 1);
  a.fill(elements);
  x.fill(random_elements(2));
  b.fill(random_elements(2));
  library.solve_cholesky(factor, x, n);
  const double order = static_cast<double>(n);
  return result_of(seconds, order * order * order / 3 + order * order / 2, residual_of_solution(library, a, x, b, n));
}

/// HPL's problem: A x = b with random A and b, by LU with partial pivoting. Factorisation and solution are timed.
template <class Library>
Result lu(const Options& options, Library& library) {
  using Matrix = typename Library::Matrix;
  const int64_t n = options.n;
  Matrix a(library, n, n), x(library, n, 1);
  const double seconds = fastest(
      options, library,
      [&] {
        a.fill(random_elements(1));
        x.fill(random_elements(2));
      },
      [&] {
        const auto pivots = library.factor_lu(a, n);
        library.solve_lu(a, pivots, x, n);
      });

  Matrix b(library, n, 1);
  a.fill(random_elements(1));
  b.fill(random_elements(2));
  const double order = static_cast<double>(n);
  return result_of(seconds, 2 * order * order * order / 3 + 3 * order * order / 2,
                   residual_of_solution(library, a, x, b, n));
}

}  // namespace linalg_app
