// Matrix multiplication: which algorithm, and what it wants of its operands.
#include "linalg/gemm.hpp"

#include <weft/job.h>

#include <optional>
#include <utility>

#include "linalg/arguments.hpp"
#include "linalg/copy.hpp"
#include "linalg/pieces.hpp"
#include "linalg/summa.hpp"

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

// A matrix for a copy of an operand, and where the operand starts in it.
struct CopyPlan {
  weft_la_layout_t layout;
  int64_t row, column;
};
CopyPlan plan_of(weft_la_type_t type, const Dealing& rows, const Dealing& columns) {
  return {{type, rows.extent, columns.extent, rows.block, columns.block, rows.first, columns.first},
          rows.start,
          columns.start};
}

// The copies of operands that SUMMA cannot use as they are.
template <class T>
std::optional<CopyPlan> copy_of_a(const Gemm<T>& gemm) {
  const Axis &rows = gemm.row_axis(), &columns = gemm.column_axis();
  if (gemm.op_a == WEFT_LA_NONE && dealt_alike(gemm.a.matrix->rows, gemm.a.row, rows, gemm.c.row, gemm.m))
    return std::nullopt;
  return plan_of(gemm.c.matrix->layout.type, like(rows, gemm.c.row, gemm.m), {gemm.k, columns.block, 0, 0});
}
template <class T>
std::optional<CopyPlan> copy_of_b(const Gemm<T>& gemm) {
  const Axis &rows = gemm.row_axis(), &columns = gemm.column_axis();
  if (gemm.op_b == WEFT_LA_NONE && dealt_alike(gemm.b.matrix->columns, gemm.b.column, columns, gemm.c.column, gemm.n))
    return std::nullopt;
  return plan_of(gemm.c.matrix->layout.type, {gemm.k, rows.block, 0, 0}, like(columns, gemm.c.column, gemm.n));
}

int copy_operand(Grid& grid, const CopyPlan& plan, weft_la_op_t op, const char* function, TemporaryMatrix& keep,
                 weft_la_part_t& part) {
  Matrix* matrix = nullptr;
  if (int status = create_matrix(grid, plan.layout, function, &matrix); status != WEFT_OK) return status;
  keep.reset(matrix);
  const weft_la_part_t from = std::exchange(part, {matrix, plan.row, plan.column});
  copy_part(op, plan.layout.rows - plan.row, plan.layout.columns - plan.column, from, part);
  return WEFT_OK;
}

template <class T>
int align(Gemm<T>& gemm, const char* function, TemporaryMatrix& keep_a, TemporaryMatrix& keep_b) {
  Grid& grid = gemm.grid();
  const auto a = copy_of_a(gemm), b = copy_of_b(gemm);
  if (a) {
    const int status = copy_operand(grid, *a, gemm.op_a, function, keep_a, gemm.a);
    if (status != WEFT_OK) return status;
    gemm.op_a = WEFT_LA_NONE;
  }
  if (b) {
    const int status = copy_operand(grid, *b, gemm.op_b, function, keep_b, gemm.b);
    if (status != WEFT_OK) return status;
    gemm.op_b = WEFT_LA_NONE;
  }
  return WEFT_OK;
}

template <class T>
bool only_scales(const Gemm<T>& gemm) {
  return gemm.k == 0 || gemm.alpha == T(0);
}

weft_la_variant_t usual_variant(const Grid& grid) { return grid.mapped ? WEFT_LA_PULL : WEFT_LA_BROADCAST; }

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
  if (only_scales(gemm)) {
    gemm.grid().barrier();
    scale(gemm);
    gemm.grid().barrier();
    return WEFT_OK;
  }
  if (variant == WEFT_LA_AUTO && has_few_columns(gemm)) return gemm_few_columns(gemm, function);
  if (variant == WEFT_LA_AUTO) variant = usual_variant(gemm.grid());
  if (variant == WEFT_LA_PULL) return gemm_pull(gemm, function);
  Gemm<T> aligned = gemm;
  TemporaryMatrix a, b;
  if (int status = align(aligned, function, a, b); status != WEFT_OK) return status;
  if (variant == WEFT_LA_BROADCAST) return gemm_broadcast(aligned, function);
  if (variant == WEFT_LA_BLOCKING) return gemm_blocking(aligned, function);
  return gemm_flat(aligned, function);
}

template <class T>
Room room_for(const Gemm<T>& gemm) {
  const Grid& grid = gemm.grid();
  if (only_scales(gemm)) return {};
  if (has_few_columns(gemm)) return {.workspace = few_columns_bytes(gemm)};
  if (usual_variant(grid) == WEFT_LA_PULL) return {.workspace = pull_bytes(gemm)};
  Room room = Summa<T>::room_for(gemm, broadcast_slots(grid));
  for (const auto& copy : {copy_of_a(gemm), copy_of_b(gemm)})
    if (copy) room.workspace += part_bytes(copy->layout, grid, grid.row, grid.column);
  return room;
}

#define WEFT_LA_INSTANTIATE(T)                                                                               \
  template void scale<T>(const Gemm<T>&);                                                                    \
  template void multiply_local<T>(const Gemm<T>&, weft_la_op_t, weft_la_op_t, int64_t, View<T>, View<T>, T); \
  template int multiply<T>(const Gemm<T>&, weft_la_variant_t, const char*);                                  \
  template Room room_for<T>(const Gemm<T>&);
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
