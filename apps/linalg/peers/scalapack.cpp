// linalg-scalapack: the problems of gemm, cholesky and lu by ScaLAPACK, with the same elements, rules and results.
#include <mpi.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "apps/linalg/problems.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* first, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* first_row,
               const int* first_column, const int* context, const int* leading, int* info);
double pdlange_(const char* norm, const int* m, const int* n, const double* a, const int* ia, const int* ja,
                const int* descriptor, double* work);
void pdgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* desc_a, const double* b, const int* ib,
             const int* jb, const int* desc_b, const double* beta, double* c, const int* ic, const int* jc,
             const int* desc_c);
void pdpotrf_(const char* triangle, const int* n, double* a, const int* ia, const int* ja, const int* desc_a,
              int* info);
void pdpotrs_(const char* triangle, const int* n, const int* columns, const double* a, const int* ia, const int* ja,
              const int* desc_a, double* b, const int* ib, const int* jb, const int* desc_b, int* info);
void pdgetrf_(const int* m, const int* n, double* a, const int* ia, const int* ja, const int* desc_a, int* pivots,
              int* info);
void pdgetrs_(const char* op, const int* n, const int* columns, const double* a, const int* ia, const int* ja,
              const int* desc_a, const int* pivots, double* b, const int* ib, const int* jb, const int* desc_b,
              int* info);
}

namespace {

using linalg_app::Options;
using linalg_app::Result;

constexpr int one = 1, zero = 0;

void check(int info, const char* function) {
  if (info != 0) throw std::runtime_error(std::string(function) + ": info is " + std::to_string(info));
}

class ScalapackLibrary {
 public:
  using Pivots = std::vector<int>;

  class Matrix {
   public:
    Matrix(const ScalapackLibrary& library, int64_t rows, int64_t columns)
        : library_(library), rows_(static_cast<int>(rows)), columns_(static_cast<int>(columns)) {
      const int nb = library.block_;
      local_rows_ = numroc_(&rows_, &nb, &library.row_, &zero, &library.rows_);
      local_columns_ = numroc_(&columns_, &nb, &library.column_, &zero, &library.columns_);
      const int leading = std::max(local_rows_, 1);
      int info = 0;
      descinit_(descriptor_, &rows_, &columns_, &nb, &nb, &zero, &zero, &library.context_, &leading, &info);
      check(info, "descinit");
      local_.resize(static_cast<size_t>(leading) * static_cast<size_t>(std::max(local_columns_, 1)));
    }

    template <class Element>
    void fill(const Element& element) {
      const auto global = [&](int local, int process, int processes) {
        const int nb = library_.block_;
        return (local / nb * processes + process) * nb + local % nb;
      };
      size_t next = 0;
      for (int j = 0; j < local_columns_; ++j)
        for (int i = 0; i < local_rows_; ++i)
          local_[next++] =
              element(global(i, library_.row_, library_.rows_), global(j, library_.column_, library_.columns_));
    }
    double infinity_norm() const { return norm("I"); }
    double largest_element() const { return norm("M"); }

    double* data() { return local_.data(); }
    const int* descriptor() const { return descriptor_; }
    int local_rows() const { return local_rows_; }

   private:
    double norm(const char* which) const {
      std::vector<double> work(static_cast<size_t>(rows_ + 2 * library_.block_));
      double value = pdlange_(which, &rows_, &columns_, local_.data(), &one, &one, descriptor_, work.data());
      MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      return value;
    }
    const ScalapackLibrary& library_;
    int rows_, columns_, local_rows_, local_columns_;
    int descriptor_[9];
    std::vector<double> local_;
  };

  explicit ScalapackLibrary(const Options& options) : block_(static_cast<int>(options.nb)) {
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, "Row", static_cast<int>(options.rows), static_cast<int>(options.columns));
    Cblacs_gridinfo(context_, &rows_, &columns_, &row_, &column_);
  }
  ~ScalapackLibrary() { Cblacs_gridexit(context_); }
  ScalapackLibrary(const ScalapackLibrary&) = delete;
  ScalapackLibrary& operator=(const ScalapackLibrary&) = delete;

  void product(Matrix& a, Matrix& b, Matrix& c, int64_t n) const { multiply(1, a, b, 0, c, n, n, n); }
  void multiply(double alpha, Matrix& a, Matrix& b, double beta, Matrix& c, int64_t m, int64_t n, int64_t k) const {
    const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
    pdgemm_("N", "N", &rows, &columns, &depth, &alpha, a.data(), &one, &one, a.descriptor(), b.data(), &one, &one,
            b.descriptor(), &beta, c.data(), &one, &one, c.descriptor());
  }
  void factor_cholesky(Matrix& a, int64_t n) const {
    const int order = static_cast<int>(n);
    int info = 0;
    pdpotrf_("L", &order, a.data(), &one, &one, a.descriptor(), &info);
    check(info, "pdpotrf");
  }
  void solve_cholesky(Matrix& factor, Matrix& x, int64_t n) const {
    const int order = static_cast<int>(n);
    int info = 0;
    pdpotrs_("L", &order, &one, factor.data(), &one, &one, factor.descriptor(), x.data(), &one, &one, x.descriptor(),
             &info);
    check(info, "pdpotrs");
  }
  Pivots factor_lu(Matrix& a, int64_t n) const {
    const int order = static_cast<int>(n);
    Pivots pivots(static_cast<size_t>(a.local_rows() + block_));
    int info = 0;
    pdgetrf_(&order, &order, a.data(), &one, &one, a.descriptor(), pivots.data(), &info);
    check(info, "pdgetrf");
    return pivots;
  }
  void solve_lu(Matrix& factor, const Pivots& pivots, Matrix& x, int64_t n) const {
    const int order = static_cast<int>(n);
    int info = 0;
    pdgetrs_("N", &order, &one, factor.data(), &one, &one, factor.descriptor(), pivots.data(), x.data(), &one, &one,
             x.descriptor(), &info);
    check(info, "pdgetrs");
  }

  void barrier() const { MPI_Barrier(MPI_COMM_WORLD); }
  double largest(double value) const {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
  }
  bool speaks() const { return row_ == 0 && column_ == 0; }
  double now() const { return linalg_app::clock_seconds(); }

 private:
  int block_, context_ = 0, rows_ = 0, columns_ = 0, row_ = 0, column_ = 0;
};

int hosts() {
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank = 0;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_free(&host);
  int count = rank == 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return count;
}

// As nearly square as it can be, rows >= columns, like Weft's.
void choose_grid(Options& options, uint32_t ranks) {
  if (options.rows != 0) return;
  options.columns = static_cast<uint32_t>(std::sqrt(ranks));
  while (ranks % options.columns != 0) --options.columns;
  options.rows = ranks / options.columns;
}

int run(int argc, char** argv, uint32_t rank, uint32_t ranks) {
  Options options;
  options.program = "linalg-scalapack";
  const int code =
      read_options(argc, argv, "Solves one of Weft's problems by ScaLAPACK. Start it with mpirun -n RANKS.",
                   {"gemm", "cholesky", "lu"}, ranks, rank == 0, options);
  if (code >= 0) return code;
  int can = rank != 0 || can_tell(options) ? 1 : 0;
  MPI_Bcast(&can, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (can == 0) return 2;
  choose_grid(options, ranks);
  ScalapackLibrary library(options);
  const auto problem = options.variant == "gemm"       ? linalg_app::multiplication<ScalapackLibrary>
                       : options.variant == "cholesky" ? linalg_app::cholesky<ScalapackLibrary>
                                                       : linalg_app::lu<ScalapackLibrary>;
  const Result result = problem(options, library);
  const int host_count = hosts();
  if (rank == 0 && !tell(options, {options.rows, options.columns, host_count}, result)) return 2;
  return result.verified ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    code = run(argc, argv, static_cast<uint32_t>(rank), static_cast<uint32_t>(ranks));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "linalg-scalapack: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return code;
}
