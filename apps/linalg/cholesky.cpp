// cholesky: factors a random symmetric positive definite n x n matrix A, and checks the factor by solving A x = b: the
// residual is HPL's, |A x - b| / (eps (|A| |x| + |b|) n) in the infinity norm, below 16.
#include <weft/barrier.h>
#include <weft/job.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "apps/linalg/problem.hpp"

namespace {

using linalg_app::OwnMatrix;

// Symmetric, and definite since the diagonal outweighs the sum of the others.
auto elements(int64_t n) {
  return [n](int64_t i, int64_t j) {
    return i == j ? static_cast<double>(n) : linalg_app::random_at(1, std::max(i, j), std::min(i, j));
  };
}

double residual(const OwnMatrix& factor, weft_la_triangle_t triangle, weft_la_grid_t* grid, int64_t n, int64_t nb) {
  const OwnMatrix a(grid, n, n, nb), x(grid, n, 1, nb), difference(grid, n, 1, nb);
  const auto right = [](int64_t i, int64_t j) { return linalg_app::random_at(2, i, j); };
  a.fill(elements(n));
  x.fill(right);
  difference.fill(right);
  const double norm_b = x.largest_element();
  linalg_app::check(weft_la_potrs(triangle, n, 1, factor.whole(), x.whole()), "weft_la_potrs");
  multiply(1, a, x, -1, difference, n, 1, n, WEFT_LA_AUTO);
  return difference.largest_element() / (std::numeric_limits<double>::epsilon() *
                                         (a.infinity_norm() * x.largest_element() + norm_b) * static_cast<double>(n));
}

linalg_app::Result run(const linalg_app::Options& options, weft_la_grid_t* grid) {
  const int64_t n = options.n;
  const weft_la_triangle_t triangle = options.variant == "upper" ? WEFT_LA_UPPER : WEFT_LA_LOWER;
  const OwnMatrix a(grid, n, n, options.nb);
  double seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.repeat; ++i) {
    a.fill(elements(n));
    int64_t info = 0;
    weft_barrier();
    const double start = linalg_app::now();
    linalg_app::check(weft_la_potrf(triangle, n, a.whole(), &info), "weft_la_potrf");
    const double taken = linalg_app::largest(linalg_app::now() - start);
    if (info != 0)
      throw std::runtime_error("the leading minor of order " + std::to_string(info) + " is not positive definite");
    if (options.progress && weft_rank() == 0) std::printf("repetition %d: %.4f s\n", i + 1, taken);
    seconds = std::min(seconds, taken);
  }
  const double found = residual(a, triangle, grid, n, options.nb), order = static_cast<double>(n);
  return {seconds, order * order * order / 3 + order * order / 2, found, found < 16};
}

}  // namespace

int main(int argc, char** argv) {
  return linalg_app::drive(argc, argv, "cholesky",
                           "Factors a random positive definite matrix. Start it with weftrun -n RANKS.",
                           {"lower", "upper"}, run);
}
