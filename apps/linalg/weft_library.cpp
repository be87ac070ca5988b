#include "apps/linalg/weft_library.hpp"

#include <weft/barrier.h>
#include <weft/coll.h>
#include <weft/job.h>
#include <weft/sim.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace linalg_app {
namespace {

// Ends the program by an exception if a status is an error.
void check(int status, const char* what) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(what) + ": " + weft_status_string(status));
}

double largest_of_all(double value) {
  double result = value;
  weft_reduce_all(WEFT_TEAM_WORLD, &result, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return result;
}

int hosts() {
  int32_t count = weft_host_rank() == 0 ? 1 : 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &count, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_I32, WEFT_REDUCE_ADD), 0);
  return count;
}

// Whether it is true on all ranks.
bool everybody(bool here) {
  int32_t all = here ? 1 : 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &all, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_I32, WEFT_REDUCE_MIN), 0);
  return all != 0;
}

struct Sizes {
  int64_t m, n, k;
};

void multiply_by(weft_la_variant_t variant, double alpha, weft_la_part_t a, weft_la_part_t b, double beta,
                 weft_la_part_t c, const Sizes& sizes) {
  const auto& [m, n, k] = sizes;
  check(weft_la_gemm(WEFT_LA_NONE, WEFT_LA_NONE, m, n, k, &alpha, a, b, &beta, c, variant), "weft_la_gemm");
}

int run_program(int argc, char** argv, Options options, const std::string& description,
                const std::vector<std::string>& variants, Result (*run)(const Options&, WeftLibrary&)) {
  const bool speaks = weft_rank() == 0;
  if (const int code = read_options(argc, argv, description, variants, weft_size(), speaks, options); code >= 0)
    return code;
  if (!everybody(!speaks || can_tell(options))) return 2;
  weft_la_grid_t* grid = nullptr;
  check(weft_la_grid_create(WEFT_TEAM_WORLD, options.rows, options.columns, &grid), "weft_la_grid_create");
  WeftLibrary library(grid, options.nb);
  const Result result = run(options, library);
  const Place place = {weft_la_grid_rows(grid), weft_la_grid_columns(grid), hosts(), weft_simulated()};
  const bool told = !speaks || tell(options, place, result);
  weft_la_grid_free(grid);
  if (!told) return 2;
  return result.verified ? 0 : 1;
}

}  // namespace

int drive(int argc, char** argv, const std::string& program, const std::string& description,
          const std::vector<std::string>& variants, Result (*run)(const Options&, WeftLibrary&)) {
  if (weft_init(&argc, &argv) != WEFT_OK) return 2;
  int code = 0;
  try {
    Options options;
    options.program = program;
    code = run_program(argc, argv, options, description, variants, run);
  } catch (const std::exception& error) {
    // All ranks are refused alike, after the library's line; so all of them leave in order.
    if (weft_rank() == 0) std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    code = 2;
  }
  const int status = weft_finalize();
  return code != 0 || status == WEFT_OK ? code : 2;
}

WeftLibrary::Matrix::Matrix(const WeftLibrary& library, int64_t rows, int64_t columns) {
  const weft_la_layout_t layout = {WEFT_LA_D, rows, columns, library.block_, library.block_, 0, 0};
  check(weft_la_matrix_create(library.grid_, &layout, &matrix_), "weft_la_matrix_create");
}

void WeftLibrary::Matrix::fill(const std::function<double(int64_t, int64_t)>& element) const {
  using Element = std::function<double(int64_t, int64_t)>;
  Element copy = element;
  check(weft_la_fill(
            matrix_,
            [](int64_t i, int64_t j, void* place, void* argument) {
              *static_cast<double*>(place) = (*static_cast<Element*>(argument))(i, j);
            },
            &copy),
        "weft_la_fill");
}

double WeftLibrary::Matrix::infinity_norm() const {
  const weft_la_local_t local = weft_la_matrix_local(matrix_);
  std::vector<double> sums(static_cast<size_t>(weft_la_matrix_layout(matrix_).rows), 0.0);
  for (int64_t j = 0; j < local.columns; ++j)
    for (int64_t i = 0; i < local.rows; ++i)
      sums[static_cast<size_t>(weft_la_global_row(matrix_, i))] +=
          std::abs(static_cast<const double*>(local.data)[i + j * local.leading]);
  weft_reduce_all(WEFT_TEAM_WORLD, sums.data(), WEFT_IN_PLACE, sums.size(),
                  weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
  double most = 0;
  for (double sum : sums) most = sum <= most ? most : sum;  // NaN stays
  return most;
}

double WeftLibrary::Matrix::largest_element() const {
  const weft_la_local_t local = weft_la_matrix_local(matrix_);
  double most = 0;
  for (int64_t j = 0; j < local.columns; ++j)
    for (int64_t i = 0; i < local.rows; ++i) {
      const double value = std::abs(static_cast<const double*>(local.data)[i + j * local.leading]);
      most = std::isnan(value) ? HUGE_VAL : std::max(most, value);
    }
  return largest_of_all(most);
}

void WeftLibrary::product(const Matrix& a, const Matrix& b, const Matrix& c, int64_t n) const {
  multiply_by(variant, 1, a.whole(), b.whole(), 0, c.whole(), {n, n, n});
}

void WeftLibrary::multiply(double alpha, const Matrix& a, const Matrix& b, double beta, const Matrix& c, int64_t m,
                           int64_t n, int64_t k) const {
  multiply_by(WEFT_LA_AUTO, alpha, a.whole(), b.whole(), beta, c.whole(), {m, n, k});
}

void WeftLibrary::factor_cholesky(const Matrix& a, int64_t n) const {
  int64_t info = 0;
  check(weft_la_potrf(triangle, n, a.whole(), &info), "weft_la_potrf");
  if (info != 0)
    throw std::runtime_error("the leading minor of order " + std::to_string(info) + " is not positive definite");
}

void WeftLibrary::solve_cholesky(const Matrix& factor, const Matrix& x, int64_t n) const {
  check(weft_la_potrs(triangle, n, 1, factor.whole(), x.whole()), "weft_la_potrs");
}

WeftLibrary::Pivots WeftLibrary::factor_lu(const Matrix& a, int64_t n) const {
  Pivots pivots(static_cast<size_t>(n));
  int64_t info = 0;
  check(weft_la_getrf(n, n, a.whole(), pivots.data(), &info), "weft_la_getrf");
  if (info != 0) throw std::runtime_error("the matrix is singular: U(k, k) is 0 for k = " + std::to_string(info));
  return pivots;
}

void WeftLibrary::solve_lu(const Matrix& factor, const Pivots& pivots, const Matrix& x, int64_t n) const {
  check(weft_la_getrs(WEFT_LA_NONE, n, 1, factor.whole(), pivots.data(), x.whole()), "weft_la_getrs");
}

void WeftLibrary::barrier() const { weft_barrier(); }
double WeftLibrary::largest(double value) const { return largest_of_all(value); }
bool WeftLibrary::speaks() const { return weft_rank() == 0; }
double WeftLibrary::now() const { return 1e-9 * static_cast<double>(weft_time_ns()); }

}  // namespace linalg_app
