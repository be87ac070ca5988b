// Weft as the library that solves the problems.
#pragma once

#include <weft/linalg.h>

#include <functional>
#include <string>
#include <vector>

#include "apps/linalg/options.hpp"

namespace linalg_app {

class WeftLibrary {
 public:
  /// Frees the matrix at its end.
  class Matrix {
   public:
    /// Throws std::runtime_error if there is no room; the library has said why.
    Matrix(const WeftLibrary& library, int64_t rows, int64_t columns);
    ~Matrix() { weft_la_matrix_free(matrix_); }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    weft_la_part_t whole() const { return weft_la_whole(matrix_); }

    /// Sets each element to element(row, column).
    void fill(const std::function<double(int64_t row, int64_t column)>& element) const;
    /// The largest sum of absolute values in a row, and the largest absolute value. Collective.
    double infinity_norm() const;
    double largest_element() const;

   private:
    weft_la_matrix_t* matrix_ = nullptr;
  };
  using Pivots = std::vector<int64_t>;

  WeftLibrary(weft_la_grid_t* grid, int64_t block) : grid_(grid), block_(block) {}

  weft_la_variant_t variant = WEFT_LA_AUTO;     ///< of product()
  weft_la_triangle_t triangle = WEFT_LA_LOWER;  ///< of Cholesky's factor

  void product(const Matrix& a, const Matrix& b, const Matrix& c, int64_t n) const;
  void multiply(double alpha, const Matrix& a, const Matrix& b, double beta, const Matrix& c, int64_t m, int64_t n,
                int64_t k) const;
  void factor_cholesky(const Matrix& a, int64_t n) const;
  void solve_cholesky(const Matrix& factor, const Matrix& x, int64_t n) const;
  Pivots factor_lu(const Matrix& a, int64_t n) const;
  void solve_lu(const Matrix& factor, const Pivots& pivots, const Matrix& x, int64_t n) const;

  void barrier() const;
  double largest(double value) const;
  bool speaks() const;
  double now() const;  ///< of a simulated rank virtual

 private:
  weft_la_grid_t* grid_;
  int64_t block_;
};

/// Joins the job, reads the command line, makes the grid, runs the program on it and tells the result. Returns the
/// program's exit code: 0 only if the result is verified.
int drive(int argc, char** argv, const std::string& program, const std::string& description,
          const std::vector<std::string>& variants, Result (*run)(const Options& options, WeftLibrary& library));

}  // namespace linalg_app
