#include "linalg/grid.hpp"

#include "linalg/blas.hpp"
#include "linalg/report.hpp"

weft_la_grid::weft_la_grid(weft_team_t team, weft_team_t row_team, weft_team_t column_team, uint32_t row_count,
                           uint32_t column_count)
    : Handle{live, weft_team_rank(team) == 0},
      rows(row_count),
      columns(column_count),
      all(team),
      in_row(row_team),
      in_column(column_team),
      row(weft_team_rank(team) / column_count),
      column(weft_team_rank(team) % column_count) {
  for (uint32_t m = 0; m < size(); ++m) {
    ranks.push_back(weft_team_world_rank(team, m));
    mapped = mapped && weft_pointer(ranks.back(), weft_offset(weft_segment_base())) != nullptr;
  }
  mapped = largest(mapped ? 0 : 1) == 0;
}

int64_t weft_la_grid::largest(int64_t value) const {
  int64_t result = value;
  weft_reduce_all(all, &result, &value, 1, weft_reduction_of(WEFT_I64, WEFT_REDUCE_MAX), 0);
  return result;
}

std::vector<uint64_t> weft_la_grid::everyones(uint64_t value) const {
  std::vector<uint64_t> values(size());
  weft_gather_all(all, values.data(), &value, sizeof value, 0);
  return values;
}

bool weft_la_grid::same_ranks(const weft_la_grid& other) const {
  return size() == other.size() && std::is_permutation(ranks.begin(), ranks.end(), other.ranks.begin());
}

int weft_la_grid::line(weft_la_grid** result) {
  if (rows != 1 && line_ == nullptr) {
    weft_la_grid* made = nullptr;
    if (const int status = weft::la::make_grid(all, {1, size()}, &made); status != WEFT_OK) return status;
    line_.reset(made);
  }
  *result = rows == 1 ? this : line_.get();
  return WEFT_OK;
}

namespace weft::la {

int have_workspace(const Grid& grid, size_t missing, const char* function) {
  const auto most = static_cast<size_t>(grid.largest(static_cast<int64_t>(missing)));
  if (most == 0) return WEFT_OK;
  refuse(weft_team_rank(grid.all) == 0, function,
         "a rank's segment has no %s (%zu bytes) left for workspace; raise WEFT_SEGMENT_SIZE, or use more hosts",
         readable_size(most).c_str(), most);
  return WEFT_ERR_NO_MEMORY;
}

Shape choose_shape(uint32_t members, uint32_t rows, uint32_t columns) {
  if (rows == 0 && columns == 0) {
    for (columns = 1; (columns + 1) * (columns + 1) <= members; ++columns) {
    }
    while (members % columns != 0) --columns;
    rows = members / columns;
  } else if (rows == 0) {
    rows = members / columns;
  } else if (columns == 0) {
    columns = members / rows;
  }
  if (rows == 0 || columns == 0 || uint64_t{rows} * columns > members) return {0, 0};
  return {rows, columns};
}

int make_grid(weft_team_t team, Shape shape, Grid** grid) {
  const uint32_t me = weft_team_rank(team), members = shape.rows * shape.columns;
  weft_team_t all = WEFT_TEAM_NONE, row = WEFT_TEAM_NONE, column = WEFT_TEAM_NONE;
  const bool inside = me < members;
  set_speaks_without_grid(me == 0 || me == members);
  if (int status = weft_team_split(team, inside ? 0 : WEFT_NO_COLOR, 0, &all); status != WEFT_OK) return status;
  *grid = nullptr;
  if (!inside) return WEFT_OK;
  int status = weft_team_split_stride(all, shape.columns, 1, &row);
  if (status == WEFT_OK) status = weft_team_split_stride(all, shape.rows, shape.columns, &column);
  if (status != WEFT_OK) {
    weft_team_free(row);
    weft_team_free(all);
    return status;
  }
  *grid = new Grid(all, row, column, shape.rows, shape.columns);
  blas::share_processors(weft_host_size());
  return WEFT_OK;
}

}  // namespace weft::la
