// Redistribution between two layouts: each rank reads the elements of its part of b from where a has them.
#include "linalg/copy.hpp"

#include "linalg/arguments.hpp"
#include "linalg/fetch.hpp"

namespace weft::la {
namespace {

// Some rows and columns of the parts, from `row`, `column` to below the ends.
struct Rectangle {
  int64_t row, row_end, column, column_end;
};

// Begins to read what this rank has of a rectangle of b.
template <class T>
void read(weft_la_op_t op, const weft_la_part_t& a, const weft_la_part_t& b, const Rectangle& part,
          std::vector<Fetch<T>>& fetches) {
  Matrix& to = *b.matrix;
  const Grid& grid = to.grid;
  const bool plain = op == WEFT_LA_NONE;
  const auto rows =
      to.rows.intervals(grid.row, b.row + part.row, b.row + part.row_end, (plain ? a.row : a.column) - b.row);
  const auto columns = to.columns.intervals(grid.column, b.column + part.column, b.column + part.column_end,
                                            (plain ? a.column : a.row) - b.column);
  if (rows.empty() || columns.empty()) return;
  T* place = to.data<T>() + to.rows.before(grid.row, b.row + part.row) +
             to.columns.before(grid.column, b.column + part.column) * to.leading();
  fetches.emplace_back(*a.matrix, plain ? rows : columns, plain ? columns : rows, op, place, to.leading());
}

// Reads the rectangles that `each(use)` gives to `use`.
template <class Each>
void read_all(weft_la_op_t op, const weft_la_part_t& a, const weft_la_part_t& b, Each each) {
  a.matrix->grid.barrier();
  with_type(b.matrix->layout.type, [&]<class T>() {
    std::vector<Fetch<T>> fetches;  // ends when all has come
    each([&](const Rectangle& part) { read<T>(op, a, b, part, fetches); });
  });
  a.matrix->grid.barrier();
}

// A triangle is cut into rectangles of `strip` columns, and single columns beside the diagonal.
constexpr int64_t strip = 64;

}  // namespace

void copy_part(weft_la_op_t op, int64_t rows, int64_t columns, const weft_la_part_t& a, const weft_la_part_t& b) {
  read_all(op, a, b, [&](auto use) { use(Rectangle{0, rows, 0, columns}); });
}

void copy_lower(weft_la_op_t op, int64_t n, const weft_la_part_t& a, const weft_la_part_t& b) {
  read_all(op, a, b, [&](auto use) {
    for (int64_t first = 0; first < n; first += strip) {
      const int64_t end = std::min(first + strip, n);
      use(Rectangle{end, n, first, end});
      for (int64_t j = first; j < end; ++j) use(Rectangle{j, end, j, j + 1});
    }
  });
}

void copy_upper(weft_la_op_t op, int64_t n, const weft_la_part_t& a, const weft_la_part_t& b) {
  read_all(op, a, b, [&](auto use) {
    for (int64_t first = 0; first < n; first += strip) {
      const int64_t end = std::min(first + strip, n);
      use(Rectangle{0, first, first, end});
      for (int64_t j = first; j < end; ++j) use(Rectangle{first, j + 1, j, j + 1});
    }
  });
}

}  // namespace weft::la

using namespace weft::la;

extern "C" int weft_la_copy(weft_la_op_t op, int64_t rows, int64_t columns, weft_la_part_t a, weft_la_part_t b) {
  Arguments arguments("weft_la_copy");
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix);
  arguments.choice("op", op, WEFT_LA_CONJUGATE).size("rows", rows).size("columns", columns);
  if (arguments.status() != WEFT_OK) return arguments.status();
  const int64_t a_rows = op == WEFT_LA_NONE ? rows : columns, a_columns = op == WEFT_LA_NONE ? columns : rows;
  arguments.part("a", a, a_rows, a_columns).part("b", b, rows, columns).same_type("a", a.matrix, "b", b.matrix);
  arguments.disjoint("b", b, rows, columns, "a", a, a_rows, a_columns);
  if (arguments.status() == WEFT_OK && !a.matrix->grid.same_ranks(b.matrix->grid))
    arguments.fail("the grids of a (%u ranks) and b (%u ranks) have not the same ranks", a.matrix->grid.size(),
                   b.matrix->grid.size());
  if (arguments.status() != WEFT_OK) return arguments.status();
  copy_part(op, rows, columns, a, b);
  return WEFT_OK;
}
