// Matrix multiplication: which algorithm, and what it wants of its operands.
#include "linalg/gemm.hpp"

#include <weft/job.h>

#include "linalg/arguments.hpp"
#include "linalg/copy.hpp"
#include "linalg/pieces.hpp"

namespace weft::la {
namespace {

// Is a part's dimension dealt as C's, index by index?
bool dealt_alike(const Axis& axis, int64_t start, const Axis& like, int64_t like_start, int64_t count) {
  if (count == 0) return true;
  const bool one_block = axis.parts == 1 && like.parts == 1;
  return one_block || (axis.block == like.block && axis.parts == like.parts &&
                       start % axis.block == like_start % like.block && axis.owner(start) == like.owner(like_start));
}

// A new layout for a dimension of an operand: like an axis from a start, or in blocks from the first part on.
struct Dealing {
  int64_t extent, block, start;
  uint32_t first;
};
Dealing like(const Axis& axis, int64_t start, int64_t count) {
  if (count == 0) return {0, axis.block, 0, 0};
  return {start % axis.block + count, axis.block, start % axis.block, axis.owner(start)};
}

int copy_of(Grid& grid, weft_la_type_t type, weft_la_op_t op, const weft_la_part_t& from, const Dealing& rows,
            const Dealing& columns, const char* function, TemporaryMatrix& keep, weft_la_part_t& part) {
  Matrix* matrix = nullptr;
  const weft_la_layout_t layout = {type,          rows.extent, columns.extent, rows.block,
                                   columns.block, rows.first,  columns.first};
  if (int status = create_matrix(grid, layout, function, &matrix); status != WEFT_OK) return status;
  keep.reset(matrix);
  part = {matrix, rows.start, columns.start};
  copy_part(op, rows.extent - rows.start, columns.extent - columns.start, from, part);
  return WEFT_OK;
}

// Copies the operands that SUMMA cannot use as they are.
template <class T>
int align(Gemm<T>& gemm, const char* function, TemporaryMatrix& keep_a, TemporaryMatrix& keep_b) {
  Grid& grid = gemm.grid();
  const weft_la_type_t type = gemm.c.matrix->layout.type;
  const Axis &rows = gemm.row_axis(), &columns = gemm.column_axis();
  const weft_la_part_t a = gemm.a, b = gemm.b;
  if (gemm.op_a != WEFT_LA_NONE || !dealt_alike(a.matrix->rows, a.row, rows, gemm.c.row, gemm.m)) {
    const int status = copy_of(grid, type, gemm.op_a, a, like(rows, gemm.c.row, gemm.m), {gemm.k, columns.block, 0, 0},
                               function, keep_a, gemm.a);
    if (status != WEFT_OK) return status;
    gemm.op_a = WEFT_LA_NONE;
  }
  if (gemm.op_b != WEFT_LA_NONE || !dealt_alike(b.matrix->columns, b.column, columns, gemm.c.column, gemm.n)) {
    const int status = copy_of(grid, type, gemm.op_b, b, {gemm.k, rows.block, 0, 0},
                               like(columns, gemm.c.column, gemm.n), function, keep_b, gemm.b);
    if (status != WEFT_OK) return status;
    gemm.op_b = WEFT_LA_NONE;
  }
  return WEFT_OK;
}

}  // namespace

template <class T>
void scale(const Gemm<T>& gemm) {
  const int64_t m = gemm.local_m(), n = gemm.local_n();
  for (int64_t j = 0; j < n; ++j) {
    T* column = gemm.local_c() + j * gemm.c.matrix->leading();
    for (int64_t i = 0; i < m; ++i) column[i] = gemm.beta == T(0) ? T(0) : gemm.beta * column[i];
  }
}

template <class T>
void multiply_local(const Gemm<T>& gemm, weft_la_op_t op_a, weft_la_op_t op_b, int64_t depth, View<T> a, View<T> b,
                    T beta) {
  gemm_in_pieces(gemm.grid(), op_a, op_b, gemm.local_m(), gemm.local_n(), depth, gemm.alpha, a, b, beta, gemm.local_c(),
                 gemm.c.matrix->leading(), [] { weft_poll(); });
}

template <class T>
int multiply(const Gemm<T>& gemm, weft_la_variant_t variant, const char* function) {
  if (gemm.k == 0 || gemm.alpha == T(0)) {
    gemm.grid().barrier();
    scale(gemm);
    gemm.grid().barrier();
    return WEFT_OK;
  }
  if (variant == WEFT_LA_AUTO && has_few_columns(gemm)) return gemm_few_columns(gemm);
  if (variant == WEFT_LA_AUTO) variant = gemm.grid().mapped ? WEFT_LA_PULL : WEFT_LA_BROADCAST;
  if (variant == WEFT_LA_PULL) return gemm_pull(gemm, function);
  Gemm<T> aligned = gemm;
  TemporaryMatrix a, b;
  if (int status = align(aligned, function, a, b); status != WEFT_OK) return status;
  if (variant == WEFT_LA_BROADCAST) return gemm_broadcast(aligned, function);
  if (variant == WEFT_LA_BLOCKING) return gemm_blocking(aligned, function);
  return gemm_flat(aligned, function);
}

#define WEFT_LA_INSTANTIATE(T)                                                                               \
  template void scale<T>(const Gemm<T>&);                                                                    \
  template void multiply_local<T>(const Gemm<T>&, weft_la_op_t, weft_la_op_t, int64_t, View<T>, View<T>, T); \
  template int multiply<T>(const Gemm<T>&, weft_la_variant_t, const char*);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la

using namespace weft::la;

extern "C" int weft_la_gemm(weft_la_op_t op_a, weft_la_op_t op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                            weft_la_part_t a, weft_la_part_t b, const void* beta, weft_la_part_t c,
                            weft_la_variant_t variant) {
  Arguments arguments("weft_la_gemm");
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix).matrix("c.matrix", c.matrix);
  arguments.choice("op_a", op_a, WEFT_LA_CONJUGATE).choice("op_b", op_b, WEFT_LA_CONJUGATE);
  arguments.size("m", m).size("n", n).size("k", k).not_null("alpha", alpha).not_null("beta", beta);
  arguments.choice("variant", variant, WEFT_LA_FLAT);
  if (arguments.status() != WEFT_OK) return arguments.status();
  const int64_t a_rows = op_a == WEFT_LA_NONE ? m : k, a_columns = op_a == WEFT_LA_NONE ? k : m;
  const int64_t b_rows = op_b == WEFT_LA_NONE ? k : n, b_columns = op_b == WEFT_LA_NONE ? n : k;
  const weft_la_type_t type = c.matrix->layout.type;
  arguments.alike_element("alpha", type, alpha).alike_element("beta", type, beta);
  arguments.part("a", a, a_rows, a_columns).part("b", b, b_rows, b_columns).part("c", c, m, n);
  arguments.same_grid("a", a.matrix, "c", c.matrix).same_grid("b", b.matrix, "c", c.matrix);
  arguments.same_type("a", a.matrix, "c", c.matrix).same_type("b", b.matrix, "c", c.matrix);
  arguments.disjoint("c", c, m, n, "a", a, a_rows, a_columns).disjoint("c", c, m, n, "b", b, b_rows, b_columns);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(type, [&]<class T>() {
    const Gemm<T> gemm{op_a, op_b, m, n, k, *static_cast<const T*>(alpha), *static_cast<const T*>(beta), a, b, c};
    return multiply(gemm, variant, "weft_la_gemm");
  });
}
