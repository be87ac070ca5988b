// What gemm and cholesky share: their command line, the matrices, and how a result is told.
#pragma once

#include <weft/linalg.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linalg_app {

struct Options {
  std::string program;
  std::string variant;
  int64_t n = 2048;
  int64_t nb = 128;
  uint32_t rows = 0, columns = 0;  ///< of the grid; 0: chosen
  int repeat = 1;
  bool progress = false;
  std::string json;  ///< file to write, or empty
};

struct Result {
  double seconds;   ///< the least of the repetitions
  double flops;     ///< floating-point operations, by the usual count
  double residual;  ///< as the program defines it
  bool verified;    ///< the residual is below its threshold
};

/// Reads the command line. Returns -1 to go on, else the program's exit code, after a message from rank 0: 0 after
/// --help, 2 after a mistake.
int read_options(int argc, char** argv, const std::string& description, const std::vector<std::string>& variants,
                 Options& options);

/// Joins the job, reads the command line, makes the grid, runs the program on it and tells the result. Returns the
/// program's exit code: 0 only if the result is verified.
int drive(int argc, char** argv, const std::string& program, const std::string& description,
          const std::vector<std::string>& variants, Result (*run)(const Options& options, weft_la_grid_t* grid));

/// Seconds since some moment.
double now();

/// The larger of the ranks' values on all ranks.
double largest(double value);

/// Frees the matrix at its end.
class OwnMatrix {
 public:
  /// Throws std::runtime_error if there is no room; the library has said why.
  OwnMatrix(weft_la_grid_t* grid, int64_t rows, int64_t columns, int64_t block);
  ~OwnMatrix() { weft_la_matrix_free(matrix_); }
  OwnMatrix(const OwnMatrix&) = delete;
  OwnMatrix& operator=(const OwnMatrix&) = delete;
  weft_la_part_t whole() const { return weft_la_whole(matrix_); }
  weft_la_matrix_t* get() const { return matrix_; }

  /// Sets each element to element(row, column).
  void fill(const std::function<double(int64_t row, int64_t column)>& element) const;
  /// The largest sum of absolute values in a row, and the largest absolute value. Collective.
  double infinity_norm() const;
  double largest_element() const;

 private:
  weft_la_matrix_t* matrix_ = nullptr;
};

/// A number from -0.5 to 0.5 that depends on three others.
double random_at(uint64_t matrix, int64_t row, int64_t column);

/// C = alpha A B + beta C.
void multiply(double alpha, const OwnMatrix& a, const OwnMatrix& b, double beta, const OwnMatrix& c, int64_t m,
              int64_t n, int64_t k, weft_la_variant_t variant);

/// Ends the program by an exception if a status is an error.
void check(int status, const char* what);

}  // namespace linalg_app
