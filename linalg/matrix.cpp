#include "linalg/matrix.hpp"

#include <climits>

#include "linalg/report.hpp"

namespace weft::la {
namespace {

// Columns start on a cache line, and not a multiple of 4 KiB apart, where they would share few sets of a cache.
int64_t padded(int64_t rows, size_t element) {
  const auto line = static_cast<int64_t>(64 / element);
  const int64_t whole = (rows + line - 1) / line * line;
  return whole % (8 * 8 * line) == 0 ? whole + line : whole;
}

Axis row_axis(const weft_la_layout_t& layout, uint32_t parts) {
  return {layout.rows, layout.row_block, layout.first_row, parts};
}
Axis column_axis(const weft_la_layout_t& layout, uint32_t parts) {
  return {layout.columns, layout.column_block, layout.first_column, parts};
}

// A sum that other layouts have not, but by chance; at least 0.
int64_t sum_of(const weft_la_layout_t& layout) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (const int64_t field : {int64_t{layout.type}, layout.rows, layout.columns, layout.row_block, layout.column_block,
                              int64_t{layout.first_row}, int64_t{layout.first_column}})
    sum = (sum ^ static_cast<uint64_t>(field)) * 0x100000001b3u;
  return static_cast<int64_t>(sum >> 1);
}

std::string value(const char* name, int64_t is, const char* constraint) {
  return std::string(name) + " is " + std::to_string(is) + "; " + constraint;
}

}  // namespace

std::string layout_problem(const weft_la_layout_t& layout, uint32_t grid_rows, uint32_t grid_columns) {
  if (const int type = number_of(layout.type); type < WEFT_LA_S || type > WEFT_LA_Z)
    return value("layout.type", type, "it is WEFT_LA_S, _D, _C or _Z");
  if (layout.rows < 0) return value("layout.rows", layout.rows, "it is at least 0");
  if (layout.columns < 0) return value("layout.columns", layout.columns, "it is at least 0");
  if (layout.row_block < 1) return value("layout.row_block", layout.row_block, "it is at least 1");
  if (layout.column_block < 1) return value("layout.column_block", layout.column_block, "it is at least 1");
  if (layout.first_row >= grid_rows)
    return value("layout.first_row", layout.first_row, ("the grid has " + std::to_string(grid_rows) + " rows").c_str());
  if (layout.first_column >= grid_columns)
    return value("layout.first_column", layout.first_column,
                 ("the grid has " + std::to_string(grid_columns) + " columns").c_str());
  constexpr int64_t most = INT64_MAX / 4;
  if (layout.row_block > most / grid_rows) return value("layout.row_block", layout.row_block, "too large");
  if (layout.column_block > most / grid_columns) return value("layout.column_block", layout.column_block, "too large");
  const int64_t rows = row_axis(layout, grid_rows).extent_on(layout.first_row);
  const int64_t columns = column_axis(layout, grid_columns).extent_on(layout.first_column);
  if (rows > INT_MAX - 1024)
    return value("layout.rows", layout.rows, "a rank's part has at most 2147482623 rows, what BLAS can count");
  if (columns > INT_MAX)
    return value("layout.columns", layout.columns, "a rank's part has at most 2147483647 columns, what BLAS can count");
  return {};
}

size_t part_bytes(const weft_la_layout_t& layout, const Grid& grid, uint32_t row, uint32_t column) {
  const auto rows = row_axis(layout, grid.rows).extent_on(row);
  const auto columns = column_axis(layout, grid.columns).extent_on(column);
  if (rows == 0 || columns == 0) return 0;
  const size_t element = size_of(layout.type);
  size_t bytes = 0;
  const bool too_many = __builtin_mul_overflow(static_cast<size_t>(padded(rows, element)) * element,
                                               static_cast<size_t>(columns), &bytes);
  return too_many ? SIZE_MAX : bytes;
}

int create_matrix(Grid& grid, const weft_la_layout_t& layout, const char* function, Matrix** matrix) {
  size_t largest = 0;
  for (uint32_t r = 0; r < grid.rows; ++r)
    for (uint32_t c = 0; c < grid.columns; ++c) largest = std::max(largest, part_bytes(layout, grid, r, c));
  // Ranks of one host draw on the same memory. The least that any rank can have decides for all.
  const size_t of_host = available_memory() / weft_host_size();
  const size_t share = std::min<size_t>(of_host, weft_segment_size());
  const int64_t sum = sum_of(layout);
  int64_t most[] = {-static_cast<int64_t>(std::min<size_t>(share, INT64_MAX)), sum, -sum};
  weft_reduce_all(grid.all, most, WEFT_IN_PLACE, std::size(most), weft_reduction_of(WEFT_I64, WEFT_REDUCE_MAX), 0);
  if (most[1] != -most[2])
    return refuse(weft_team_rank(grid.all) == 0, function,
                  "ranks of the grid give different layouts, or call other functions; WEFT_CHECK=1 says which");
  const auto least = static_cast<size_t>(-most[0]);
  const auto refuse_all = [&](const char* what) {
    return refuse_for_memory(weft_team_rank(grid.all) == 0, function,
                             "%lld x %lld elements of %zu bytes need %s (%zu bytes) on a rank, and %s",
                             static_cast<long long>(layout.rows), static_cast<long long>(layout.columns),
                             size_of(layout.type), readable_size(largest).c_str(), largest, what);
  };
  const bool host_is_full = of_host <= weft_segment_size();
  const std::string room = host_is_full ? " of its host's memory are free for it; use more hosts"
                                        : " are in its segment; raise WEFT_SEGMENT_SIZE, or use more hosts";
  if (largest > least) return refuse_all((readable_size(least) + room).c_str());

  const size_t bytes = part_bytes(layout, grid, grid.row, grid.column);
  Workspace memory(bytes);
  if (grid.largest(memory.missing() != 0 ? 1 : 0) != 0)
    return refuse_all("a segment has not so much left; raise WEFT_SEGMENT_SIZE, or use more hosts");
  std::vector<uint64_t> offsets = grid.everyones(memory.offset());
  ++grid.matrices;
  *matrix = new Matrix{{Matrix::live, grid.speaks},
                       grid,
                       layout,
                       row_axis(layout, grid.rows),
                       column_axis(layout, grid.columns),
                       std::move(memory),
                       std::move(offsets)};
  return WEFT_OK;
}

int create_on_member(Grid& grid, weft_la_type_t type, int64_t rows, int64_t columns, uint32_t member,
                     const char* function, Matrix** matrix) {
  const weft_la_layout_t layout = {type,
                                   rows,
                                   columns,
                                   std::max<int64_t>(rows, 1),
                                   std::max<int64_t>(columns, 1),
                                   member / grid.columns,
                                   member % grid.columns};
  return create_matrix(grid, layout, function, matrix);
}

}  // namespace weft::la

int64_t weft_la_matrix::leading(uint32_t grid_row) const {
  return weft::la::padded(rows.extent_on(grid_row), weft::la::size_of(layout.type));
}
