// C with few columns, as in solving for one right side: A stays where it is, and what travels is as long as C is high.
// Each rank multiplies its part of A by the rows of op(B) that meet it; the sum of all that is C.
#include <weft/coll.h>

#include <span>

#include "linalg/gemm.hpp"

namespace weft::la {
namespace {

// Where a rank's rows or columns of A's part stand among all of the part's.
struct Side {
  int64_t first;  // number of the first on this rank
  int64_t count;
  std::vector<Interval> places;
};

Side side_of(const Axis& axis, uint32_t part, int64_t begin, int64_t extent) {
  const int64_t first = axis.before(part, begin);
  return {first, axis.before(part, begin + extent) - first, axis.intervals(part, begin, begin + extent, -begin)};
}

}  // namespace

template <class T>
bool has_few_columns(const Gemm<T>& gemm) {
  constexpr int64_t most = 32;
  return gemm.n <= most && 8 * gemm.n <= std::min(gemm.m, gemm.k);
}

template <class T>
size_t few_columns_bytes(const Gemm<T>& gemm) {
  return static_cast<size_t>(gemm.m * gemm.n) * sizeof(T);
}

template <class T>
int gemm_few_columns(const Gemm<T>& gemm, const char* function) {
  const Grid& grid = gemm.grid();
  const Matrix& a = *gemm.a.matrix;
  const bool plain = gemm.op_a == WEFT_LA_NONE;
  const Side rows = side_of(a.rows, grid.row, gemm.a.row, plain ? gemm.m : gemm.k);
  const Side columns = side_of(a.columns, grid.column, gemm.a.column, plain ? gemm.k : gemm.m);
  const Side &outer = plain ? rows : columns, &inner = plain ? columns : rows;
  std::vector<Interval> met = inner.places;
  for (Interval& interval : met) interval.start += gemm.op_b == WEFT_LA_NONE ? gemm.b.row : gemm.b.column;
  const std::vector<Interval> all = {{gemm.op_b == WEFT_LA_NONE ? gemm.b.column : gemm.b.row, gemm.n}};

  std::vector<T> b(static_cast<size_t>(inner.count * gemm.n)), own(static_cast<size_t>(outer.count * gemm.n));
  const Workspace workspace(few_columns_bytes(gemm));
  // Also the barrier before which B is not complete.
  if (int status = have_workspace(grid, workspace.missing(), function); status != WEFT_OK) return status;
  const std::span<T> sum(workspace.data<T>(), static_cast<size_t>(gemm.m * gemm.n));
  std::fill(sum.begin(), sum.end(), T(0));
  if (!b.empty())
    Fetch<T>(*gemm.b.matrix, gemm.op_b == WEFT_LA_NONE ? met : all, gemm.op_b == WEFT_LA_NONE ? all : met, gemm.op_b,
             b.data(), inner.count);
  blas::gemm(gemm.op_a, WEFT_LA_NONE, outer.count, gemm.n, inner.count, gemm.alpha,
             a.data<T>() + rows.first + columns.first * a.leading(), a.leading(), b.data(),
             std::max<int64_t>(inner.count, 1), T(0), own.data(), std::max<int64_t>(outer.count, 1));
  for (int64_t j = 0; j < gemm.n; ++j) {
    const T* from = own.data() + j * outer.count;
    for (const Interval& interval : outer.places)
      for (int64_t i = 0; i < interval.count; ++i) sum[static_cast<size_t>(interval.start + i + j * gemm.m)] = *from++;
  }
  constexpr weft_type_t type = sizeof(Real<T>) == sizeof(double) ? WEFT_F64 : WEFT_F32;
  reduce_all(grid.all, reinterpret_cast<Real<T>*>(sum.data()), sum.size() * sizeof(T) / sizeof(Real<T>), type,
             WEFT_REDUCE_ADD);
  scale(gemm);
  T* column = gemm.local_c();
  for (const Interval& j : side_of(gemm.column_axis(), grid.column, gemm.c.column, gemm.n).places)
    for (int64_t jj = j.start; jj < j.start + j.count; ++jj, column += gemm.c.matrix->leading()) {
      T* to = column;
      for (const Interval& i : side_of(gemm.row_axis(), grid.row, gemm.c.row, gemm.m).places)
        for (int64_t ii = i.start; ii < i.start + i.count; ++ii) *to++ += sum[static_cast<size_t>(ii + jj * gemm.m)];
    }
  grid.barrier();
  return WEFT_OK;
}

#define WEFT_LA_INSTANTIATE(T)                          \
  template bool has_few_columns<T>(const Gemm<T>&);     \
  template size_t few_columns_bytes<T>(const Gemm<T>&); \
  template int gemm_few_columns<T>(const Gemm<T>&, const char*);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la
