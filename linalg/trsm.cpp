// Solving with a triangular matrix, by halves: the multiplication between them has nearly all of the work.
//
//   solve with A(first half), subtract A(one half, other half) times what was solved, solve with A(second half)
//
// A piece of at most `leaf` rows is solved by BLAS: ranks that have whole columns of B's piece (whole rows, where A is
// on the right) read A's piece. On a grid of one row (one column) all ranks have such columns; elsewhere B's piece is
// dealt over the first grid row (the first grid column).
#include "linalg/trsm.hpp"

#include "linalg/arguments.hpp"
#include "linalg/copy.hpp"
#include "linalg/gemm.hpp"

namespace weft::la {
namespace {

constexpr int64_t leaf = 128;

// Solves with the columns (rows, where A is on the right) of B's piece that lie whole on this rank. `b` is where they
// stand, `m` x `n` of them.
template <class T>
void solve_own(const Trsm<T>& call, T* b, int64_t m, int64_t n, int64_t leading) {
  if (m == 0 || n == 0) return;
  const int64_t order = call.side == WEFT_LA_LEFT ? m : n;
  const std::vector<Interval> rows = {{call.a.row, order}}, columns = {{call.a.column, order}};
  View<T> a = view<T>(*call.a.matrix, rows, columns);
  std::vector<T> fetched;
  if (a.data == nullptr) {
    fetched.resize(static_cast<size_t>(order * order));
    Fetch<T>(*call.a.matrix, rows, columns, WEFT_LA_NONE, fetched.data(), order);
    a = {fetched.data(), order};
  }
  blas::trsm(call.side, call.triangle, call.op, call.diagonal, m, n, call.alpha, a.data, a.leading, b, leading);
}

// Whether ranks have whole columns (rows, where A is on the right) of B as it is.
template <class T>
bool has_whole_lines(const Trsm<T>& call) {
  const Grid& grid = call.b.matrix->grid;
  return (call.side == WEFT_LA_LEFT ? grid.rows : grid.columns) == 1;
}

// B's piece with whole columns (rows) on ranks.
template <class T>
weft_la_layout_t layout_of_leaf(const Trsm<T>& call) {
  const Grid& grid = call.b.matrix->grid;
  const bool left = call.side == WEFT_LA_LEFT;
  const int64_t order = left ? call.m : call.n, others = left ? call.n : call.m;
  const uint32_t parts = left ? grid.columns : grid.rows;
  const int64_t share = std::max<int64_t>((others + parts - 1) / parts, 1);
  return {call.b.matrix->layout.type, call.m, call.n, left ? order : share, left ? share : order, 0, 0};
}

template <class T>
int solve_leaf(const Trsm<T>& call, const char* function) {
  Grid& grid = call.b.matrix->grid;
  if (has_whole_lines(call)) {
    const Matrix& b = *call.b.matrix;
    const int64_t row = b.rows.before(grid.row, call.b.row), column = b.columns.before(grid.column, call.b.column);
    grid.barrier();  // A is complete
    solve_own(call, b.data<T>() + row + column * b.leading(), b.rows.before(grid.row, call.b.row + call.m) - row,
              b.columns.before(grid.column, call.b.column + call.n) - column, b.leading());
    grid.barrier();  // B is complete
    return WEFT_OK;
  }
  Matrix* matrix = nullptr;
  if (int status = create_matrix(grid, layout_of_leaf(call), function, &matrix); status != WEFT_OK) return status;
  const TemporaryMatrix owner(matrix);
  const weft_la_part_t whole = weft_la_whole(matrix);
  copy_part(WEFT_LA_NONE, call.m, call.n, call.b, whole);  // also the barrier before A is read
  solve_own(call, matrix->data<T>(), matrix->local_rows(), matrix->local_columns(), matrix->leading());
  copy_part(WEFT_LA_NONE, call.m, call.n, whole, call.b);
  return WEFT_OK;
}

weft_la_part_t moved(const weft_la_part_t& part, int64_t rows, int64_t columns) {
  return {part.matrix, part.row + rows, part.column + columns};
}

// The two halves in the order in which they are solved, and the update of the second between them.
template <class T>
struct Halves {
  Trsm<T> early, late;
  Gemm<T> update;
};

template <class T>
bool is_leaf(const Trsm<T>& call) {
  return (call.side == WEFT_LA_LEFT ? call.m : call.n) <= leaf;
}

template <class T>
Halves<T> halves_of(const Trsm<T>& call) {
  const bool left = call.side == WEFT_LA_LEFT;
  const int64_t order = left ? call.m : call.n;
  const int64_t half = (order / 2 + leaf - 1) / leaf * leaf, rest = order - half;
  Trsm<T> first = call, second = call;  // by their place in B
  (left ? first.m : first.n) = half;
  (left ? second.m : second.n) = rest;
  second.a = moved(call.a, half, half);
  second.b = left ? moved(call.b, half, 0) : moved(call.b, 0, half);
  // op(A) is lower: from the left its first rows are solved first, from the right its last columns.
  const bool lower = (call.triangle == WEFT_LA_LOWER) == (call.op == WEFT_LA_NONE);
  const bool forward = lower == left;
  const Trsm<T>& early = forward ? first : second;
  Trsm<T> late = forward ? second : first;
  // The block of A off the diagonal, as it is stored.
  const weft_la_part_t off = call.triangle == WEFT_LA_LOWER ? moved(call.a, half, 0) : moved(call.a, 0, half);
  const int64_t solved = left ? early.m : early.n;
  // late.b = alpha late.b - op(off) early.b, or - early.b op(off)
  const Gemm<T> update =
      left ? Gemm<T>{call.op, WEFT_LA_NONE, late.m, late.n, solved, T(-1), call.alpha, off, early.b, late.b}
           : Gemm<T>{WEFT_LA_NONE, call.op, late.m, late.n, solved, T(-1), call.alpha, early.b, off, late.b};
  late.alpha = T(1);
  return {early, late, update};
}

}  // namespace

template <class T>
Room room_for(const Trsm<T>& call) {
  if (call.m == 0 || call.n == 0) return {};
  if (is_leaf(call)) {
    const Grid& grid = call.b.matrix->grid;
    if (has_whole_lines(call)) return {};
    return {.workspace = part_bytes(layout_of_leaf(call), grid, grid.row, grid.column)};
  }
  const Halves<T> halves = halves_of(call);
  Room room = room_for(halves.early);
  room.add(room_for(halves.update));
  room.add(room_for(halves.late));
  return room;
}

template <class T>
int solve_triangular(const Trsm<T>& call, const char* function) {
  if (call.m == 0 || call.n == 0) return WEFT_OK;
  if (is_leaf(call)) return solve_leaf(call, function);
  const Halves<T> halves = halves_of(call);
  if (int status = solve_triangular(halves.early, function); status != WEFT_OK) return status;
  if (int status = multiply(halves.update, WEFT_LA_AUTO, function); status != WEFT_OK) return status;
  return solve_triangular(halves.late, function);
}

#define WEFT_LA_INSTANTIATE(T)               \
  template Room room_for<T>(const Trsm<T>&); \
  template int solve_triangular<T>(const Trsm<T>&, const char*);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la

using namespace weft::la;

extern "C" int weft_la_trsm(weft_la_side_t side, weft_la_triangle_t triangle, weft_la_op_t op,
                            weft_la_diagonal_t diagonal, int64_t m, int64_t n, const void* alpha, weft_la_part_t a,
                            weft_la_part_t b) {
  Arguments arguments("weft_la_trsm");
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix).choice("side", side, WEFT_LA_RIGHT);
  arguments.choice("triangle", triangle, WEFT_LA_UPPER).choice("op", op, WEFT_LA_CONJUGATE);
  arguments.choice("diagonal", diagonal, WEFT_LA_UNIT).size("m", m).size("n", n).not_null("alpha", alpha);
  if (arguments.status() != WEFT_OK) return arguments.status();
  const int64_t order = side == WEFT_LA_LEFT ? m : n;
  arguments.alike_element("alpha", b.matrix->layout.type, alpha);
  arguments.part("a", a, order, order).part("b", b, m, n);
  arguments.same_grid("a", a.matrix, "b", b.matrix).same_type("a", a.matrix, "b", b.matrix);
  arguments.disjoint("b", b, m, n, "a", a, order, order);
  if (arguments.status() != WEFT_OK) return arguments.status();
  return with_type(b.matrix->layout.type, [&]<class T>() {
    const Trsm<T> call{side, triangle, op, diagonal, m, n, *static_cast<const T*>(alpha), a, b};
    if (int status = have_room(b.matrix->grid, room_for(call), "weft_la_trsm"); status != WEFT_OK) return status;
    return solve_triangular(call, "weft_la_trsm");
  });
}
