#include "apps/linalg/upc/program.h"

#include <weft/coll.h>
#include <weft/job.h>
#include <weft/sim.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "apps/linalg/options.hpp"
#include "apps/linalg/problems.hpp"

using linalg_app::Options;

extern "C" {
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dsyrk_(const char* triangle, const char* op, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc);
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* triangle, const char* op, const char* diagonal, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
}

namespace {

// A size as BLAS counts; as a leading dimension it is at least 1.
int size(int64_t value) { return static_cast<int>(value); }
int leading(int64_t value) { return static_cast<int>(std::max<int64_t>(value, 1)); }

// By la_variant.
const std::vector<std::string> variants = {"broadcast", "flat", "blocking", "library"};

}  // namespace

extern "C" {

int la_read(int argc, char** argv, const char* program, const char* description, la_problem* problem) {
  auto options = std::make_unique<Options>();
  options->program = program;
  const int code = read_options(argc, argv, description, variants, weft_size(), weft_rank() == 0, *options);
  if (code >= 0) return code;
  int32_t can = weft_rank() != 0 || can_tell(*options) ? 1 : 0;
  weft_reduce_all(WEFT_TEAM_WORLD, &can, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_I32, WEFT_REDUCE_MIN), 0);
  if (can == 0) return 2;
  const auto variant = std::find(variants.begin(), variants.end(), options->variant) - variants.begin();
  *problem = {};
  problem->n = options->n;
  problem->nb = options->nb;
  problem->repeat = options->repeat;
  problem->progress = options->progress;
  problem->variant = static_cast<la_variant>(variant);
  la_check(weft_la_grid_create(WEFT_TEAM_WORLD, options->rows, options->columns, &problem->grid),
           "weft_la_grid_create");
  problem->rows = weft_la_grid_rows(problem->grid);
  problem->columns = weft_la_grid_columns(problem->grid);
  problem->options = options.release();
  return -1;
}

int la_tell(la_problem* problem, double seconds, double flops, double residual) {
  const std::unique_ptr<Options> options(static_cast<Options*>(problem->options));
  double hosts = weft_host_rank() == 0 ? 1 : 0;
  la_sum(&hosts, 1);
  weft_la_grid_free(problem->grid);
  const linalg_app::Result result = linalg_app::result_of(seconds, flops, residual);
  const linalg_app::Place place = {problem->rows, problem->columns, static_cast<int>(hosts), weft_simulated()};
  if (weft_rank() == 0 && !tell(*options, place, result)) return 2;
  return result.verified ? 0 : 1;
}

double la_random(uint64_t matrix, int64_t row, int64_t column) { return linalg_app::random_at(matrix, row, column); }

double la_now(void) { return 1e-9 * static_cast<double>(weft_time_ns()); }

double la_largest(double value) {
  weft_reduce_all(WEFT_TEAM_WORLD, &value, WEFT_IN_PLACE, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return value;
}

void la_sum(double* values, size_t count) {
  weft_reduce_all(WEFT_TEAM_WORLD, values, WEFT_IN_PLACE, count, weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD), 0);
}

void la_check(int status, const char* what) {
  if (status == WEFT_OK) return;
  if (status < 0)
    std::fprintf(stderr, "%s: %s\n", what, weft_status_string(status));
  else
    std::fprintf(stderr, "%s: the leading minor of order %d is not positive definite\n", what, status);
  weft_exit(2);
}

void la_gemm(int transposed_b, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
             const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  const int rows = size(m), columns = size(n), depth = size(k), la = leading(lda), lb = leading(ldb), lc = leading(ldc);
  dgemm_("N", transposed_b ? "T" : "N", &rows, &columns, &depth, &alpha, a, &la, b, &lb, &beta, c, &lc);
}

void la_syrk(int64_t n, int64_t k, const double* a, int64_t lda, double* c, int64_t ldc) {
  const int order = size(n), depth = size(k), la = leading(lda), lc = leading(ldc);
  const double minus_one = -1, one = 1;
  dsyrk_("L", "N", &order, &depth, &minus_one, a, &la, &one, c, &lc);
}

void la_potrf(int64_t n, double* a, int64_t lda) {
  const int order = size(n), la = leading(lda);
  int info = 0;
  dpotrf_("L", &order, a, &la, &info);
  la_check(info, "la_potrf");
}

void la_trsm(int64_t m, int64_t n, const double* l, int64_t ldl, double* b, int64_t ldb) {
  const int rows = size(m), columns = size(n), ll = leading(ldl), lb = leading(ldb);
  const double one = 1;
  dtrsm_("R", "L", "T", "N", &rows, &columns, &one, l, &ll, b, &lb);
}

}  // extern "C"
