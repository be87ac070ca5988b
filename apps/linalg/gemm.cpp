// gemm: C = A B of random n x n matrices, checked with a random vector x: the residual is
//   |C x - A (B x)| / (|A| |B| |x| n eps)   in the infinity norm, below 16 as in HPL.
#include <weft/barrier.h>
#include <weft/job.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "apps/linalg/problem.hpp"

namespace {

using linalg_app::OwnMatrix;

weft_la_variant_t variant_of(const std::string& name) {
  if (name == "pull") return WEFT_LA_PULL;
  if (name == "broadcast") return WEFT_LA_BROADCAST;
  if (name == "blocking") return WEFT_LA_BLOCKING;
  return name == "flat" ? WEFT_LA_FLAT : WEFT_LA_AUTO;
}

double residual(const OwnMatrix& a, const OwnMatrix& b, const OwnMatrix& c, weft_la_grid_t* grid, int64_t n,
                int64_t nb) {
  const OwnMatrix x(grid, n, 1, nb), product(grid, n, 1, nb), difference(grid, n, 1, nb);
  x.fill([](int64_t i, int64_t j) { return linalg_app::random_at(3, i, j); });
  multiply(1, b, x, 0, product, n, 1, n, WEFT_LA_AUTO);
  multiply(1, c, x, 0, difference, n, 1, n, WEFT_LA_AUTO);
  multiply(-1, a, product, 1, difference, n, 1, n, WEFT_LA_AUTO);
  const double scale = a.infinity_norm() * b.infinity_norm() * x.largest_element() * static_cast<double>(n) *
                       std::numeric_limits<double>::epsilon();
  return difference.largest_element() / scale;
}

linalg_app::Result run(const linalg_app::Options& options, weft_la_grid_t* grid) {
  const int64_t n = options.n;
  const OwnMatrix a(grid, n, n, options.nb), b(grid, n, n, options.nb), c(grid, n, n, options.nb);
  a.fill([](int64_t i, int64_t j) { return linalg_app::random_at(1, i, j); });
  b.fill([](int64_t i, int64_t j) { return linalg_app::random_at(2, i, j); });
  double seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < options.repeat; ++i) {
    weft_barrier();
    const double start = linalg_app::now();
    multiply(1, a, b, 0, c, n, n, n, variant_of(options.variant));
    const double taken = linalg_app::largest(linalg_app::now() - start);
    if (options.progress && weft_rank() == 0) std::printf("repetition %d: %.4f s\n", i + 1, taken);
    seconds = std::min(seconds, taken);
  }
  const double found = residual(a, b, c, grid, n, options.nb), order = static_cast<double>(n);
  return {seconds, 2 * order * order * order, found, found < 16};
}

}  // namespace

int main(int argc, char** argv) {
  return linalg_app::drive(argc, argv, "gemm", "Multiplies two random matrices. Start it with weftrun -n RANKS.",
                           {"auto", "pull", "broadcast", "blocking", "flat"}, run);
}
