// Redistribution between two layouts: each rank reads the elements of its part of b from where a has them.
#include "linalg/copy.hpp"

#include "linalg/arguments.hpp"
#include "linalg/fetch.hpp"

namespace weft::la {
namespace {

// Rows of b to read for the column of b with this number in the part: from `begin` to below `end`.
struct Range {
  int64_t begin, end;
};

// Reads column by column block, so that a triangle needs no mask: `range` tells which rows of the part the columns
// from `column` to below `end` have; the rows are alike for all columns of a piece.
template <class T, class RangeOf>
void read_part(weft_la_op_t op, int64_t rows, int64_t columns, const weft_la_part_t& a, const weft_la_part_t& b,
               int64_t widest, RangeOf range_of) {
  Matrix& to = *b.matrix;
  const Grid& grid = to.grid;
  a.matrix->grid.barrier();
  {
    std::vector<Fetch<T>> fetches;
    const auto mine = to.columns.intervals(grid.column, b.column, b.column + columns, -b.column);
    for (const Interval& interval : mine) {
      const int64_t end = interval.start + interval.count;
      for (int64_t j = interval.start, count; j < end; j += count) {
        count = std::min(widest, end - j);
        const Range range = range_of(j, rows);
        const int64_t first = b.row + range.begin, local_row = to.rows.before(grid.row, first);
        const int64_t local_column = to.columns.before(grid.column, b.column + j);
        T* place = to.data<T>() + local_row + local_column * to.leading();
        const int64_t shift = (op == WEFT_LA_NONE ? a.row : a.column) - b.row;
        const auto down = to.rows.intervals(grid.row, first, b.row + range.end, shift);
        const std::vector<Interval> across = {{j + (op == WEFT_LA_NONE ? a.column : a.row), count}};
        if (down.empty()) continue;
        if (op == WEFT_LA_NONE) {
          fetches.emplace_back(*a.matrix, down, across, op, place, to.leading());
        } else {
          fetches.emplace_back(*a.matrix, across, down, op, place, to.leading());
        }
      }
    }
  }
  a.matrix->grid.barrier();
}

template <class RangeOf>
void read_any(weft_la_op_t op, int64_t rows, int64_t columns, const weft_la_part_t& a, const weft_la_part_t& b,
              int64_t widest, RangeOf range_of) {
  with_type(b.matrix->layout.type, [&]<class T>() { read_part<T>(op, rows, columns, a, b, widest, range_of); });
}

}  // namespace

void copy_part(weft_la_op_t op, int64_t rows, int64_t columns, const weft_la_part_t& a, const weft_la_part_t& b) {
  read_any(op, rows, columns, a, b, INT64_MAX, [](int64_t, int64_t all) { return Range{0, all}; });
}

void copy_lower(weft_la_op_t op, int64_t n, const weft_la_part_t& a, const weft_la_part_t& b) {
  read_any(op, n, n, a, b, 1, [](int64_t column, int64_t all) { return Range{column, all}; });
}

void copy_upper(weft_la_op_t op, int64_t n, const weft_la_part_t& a, const weft_la_part_t& b) {
  read_any(op, n, n, a, b, 1, [](int64_t column, int64_t) { return Range{0, column + 1}; });
}

}  // namespace weft::la

using namespace weft::la;

extern "C" int weft_la_copy(weft_la_op_t op, int64_t rows, int64_t columns, weft_la_part_t a, weft_la_part_t b) {
  Arguments arguments("weft_la_copy");
  arguments.matrix("a.matrix", a.matrix).matrix("b.matrix", b.matrix);
  arguments.choice("op", op, WEFT_LA_CONJUGATE).size("rows", rows).size("columns", columns);
  if (op == WEFT_LA_NONE) {
    arguments.part("a", a, rows, columns);
  } else {
    arguments.part("a", a, columns, rows);
  }
  arguments.part("b", b, rows, columns).same_type("a", a.matrix, "b", b.matrix);
  if (arguments.status() == WEFT_OK && !a.matrix->grid.same_ranks(b.matrix->grid))
    arguments.fail("the grids of a (%u ranks) and b (%u ranks) have not the same ranks", a.matrix->grid.size(),
                   b.matrix->grid.size());
  if (arguments.status() != WEFT_OK) return arguments.status();
  copy_part(op, rows, columns, a, b);
  return WEFT_OK;
}
