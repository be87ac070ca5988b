// linalg-openblas: the problems of gemm, cholesky and lu by the machine's BLAS and LAPACK with their own threads, with
// the same elements, rules and results.
#include <stdexcept>
#include <vector>

#include "apps/linalg/problems.hpp"

extern "C" {
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* triangle, const int* n, const int* columns, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dgetrs_(const char* op, const int* n, const int* columns, const double* a, const int* lda, const int* pivots,
             double* b, const int* ldb, int* info);
}

namespace {

using linalg_app::Options;
using linalg_app::Result;

void check(int info, const char* function) {
  if (info != 0) throw std::runtime_error(std::string(function) + ": info is " + std::to_string(info));
}

class BlasLibrary {
 public:
  using Pivots = std::vector<int>;

  class Matrix {
   public:
    Matrix(const BlasLibrary&, int64_t rows, int64_t columns)
        : rows_(rows), columns_(columns), elements_(static_cast<size_t>(rows * columns)) {}
    template <class Element>
    void fill(const Element& element) {
      size_t next = 0;
      for (int64_t j = 0; j < columns_; ++j)
        for (int64_t i = 0; i < rows_; ++i) elements_[next++] = element(i, j);
    }
    double infinity_norm() const {
      double most = 0;
      for (int64_t i = 0; i < rows_; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < columns_; ++j) sum += std::abs(elements_[static_cast<size_t>(i + j * rows_)]);
        most = sum <= most ? most : sum;  // NaN stays
      }
      return most;
    }
    double largest_element() const {
      double most = 0;
      for (double element : elements_) most = std::abs(element) <= most ? most : std::abs(element);
      return most;
    }
    double* data() { return elements_.data(); }
    int leading() const { return static_cast<int>(rows_); }

   private:
    int64_t rows_, columns_;
    std::vector<double> elements_;
  };

  void product(Matrix& a, Matrix& b, Matrix& c, int64_t n) const { multiply(1, a, b, 0, c, n, n, n); }
  void multiply(double alpha, Matrix& a, Matrix& b, double beta, Matrix& c, int64_t m, int64_t n, int64_t k) const {
    const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
    const int la = a.leading(), lb = b.leading(), lc = c.leading();
    dgemm_("N", "N", &rows, &columns, &depth, &alpha, a.data(), &la, b.data(), &lb, &beta, c.data(), &lc);
  }
  void factor_cholesky(Matrix& a, int64_t n) const {
    const int order = static_cast<int>(n);
    int info = 0;
    dpotrf_("L", &order, a.data(), &order, &info);
    check(info, "dpotrf");
  }
  void solve_cholesky(Matrix& factor, Matrix& x, int64_t n) const {
    const int order = static_cast<int>(n), one = 1;
    int info = 0;
    dpotrs_("L", &order, &one, factor.data(), &order, x.data(), &order, &info);
    check(info, "dpotrs");
  }
  Pivots factor_lu(Matrix& a, int64_t n) const {
    const int order = static_cast<int>(n);
    Pivots pivots(static_cast<size_t>(n));
    int info = 0;
    dgetrf_(&order, &order, a.data(), &order, pivots.data(), &info);
    check(info, "dgetrf");
    return pivots;
  }
  void solve_lu(Matrix& factor, const Pivots& pivots, Matrix& x, int64_t n) const {
    const int order = static_cast<int>(n), one = 1;
    int info = 0;
    dgetrs_("N", &order, &one, factor.data(), &order, pivots.data(), x.data(), &order, &info);
    check(info, "dgetrs");
  }

  void barrier() const {}
  double largest(double value) const { return value; }
  bool speaks() const { return true; }
  double now() const { return linalg_app::clock_seconds(); }
};

int run(int argc, char** argv) {
  Options options;
  options.program = "linalg-openblas";
  const int code = read_options(argc, argv, "Solves one of Weft's problems by BLAS and LAPACK with their own threads.",
                                {"gemm", "cholesky", "lu"}, 1, true, options);
  if (code >= 0) return code;
  if (!can_tell(options)) return 2;
  BlasLibrary library;
  const auto problem = options.variant == "gemm"       ? linalg_app::multiplication<BlasLibrary>
                       : options.variant == "cholesky" ? linalg_app::cholesky<BlasLibrary>
                                                       : linalg_app::lu<BlasLibrary>;
  const Result result = problem(options, library);
  if (!tell(options, {1, 1, 1}, result)) return 2;
  return result.verified ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "linalg-openblas: %s\n", error.what());
    return 2;
  }
}
