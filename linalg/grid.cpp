#include "linalg/grid.hpp"

#include <weft/detail/library.h>

#include <utility>

#include "linalg/arguments.hpp"
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

int weft_la_grid::line(weft_la_grid** result, const char* function) {
  if (rows != 1 && line_ == nullptr) {
    weft_la_grid* made = nullptr;
    if (const int status = weft::la::make_grid(all, {1, size()}, function, &made); status != WEFT_OK) return status;
    line_.reset(made);
  }
  *result = rows == 1 ? this : line_.get();
  return WEFT_OK;
}

namespace weft::la {
namespace {

// Of the largest piece of a reduction.
constexpr size_t result_bytes = size_t{4} << 10;

// The team of a grid's members and those of this rank's row and column, with room for what the library does on them.
struct GridTeams {
  weft_team_t all = WEFT_TEAM_NONE, row = WEFT_TEAM_NONE, column = WEFT_TEAM_NONE;

  // Of the team's first members.
  int make(weft_team_t team, Shape shape) {
    const uint32_t me = weft_team_rank(team), members = shape.rows * shape.columns;
    int status = weft_team_split(team, me < members ? 0 : WEFT_NO_COLOR, 0, &all);
    if (status != WEFT_OK || me >= members) return status;
    status = weft_team_split_stride(all, shape.columns, 1, &row);
    if (status == WEFT_OK) status = weft_team_split_stride(all, shape.rows, shape.columns, &column);
    if (status == WEFT_OK)
      status = weft_detail_team_reserve(all, 0, std::max(result_bytes, members * Arguments::name_bytes));
    if (status != WEFT_OK) free();
    return status;
  }
  void free() {
    for (weft_team_t* team : {&column, &row, &all}) weft_team_free(std::exchange(*team, WEFT_TEAM_NONE));
  }
};

}  // namespace

int have_workspace(const Grid& grid, size_t missing, const char* function) {
  const auto most = static_cast<size_t>(grid.largest(static_cast<int64_t>(missing)));
  if (most == 0) return WEFT_OK;
  return refuse_for_memory(
      weft_team_rank(grid.all) == 0, function,
      "a rank's segment has no %s (%zu bytes) left for workspace; raise WEFT_SEGMENT_SIZE, or use more hosts",
      readable_size(most).c_str(), most);
}

int have_room(const Grid& grid, const Room& room, const char* function) {
  const Workspace workspace(room.workspace);
  if (int status = have_workspace(grid, workspace.missing(), function); status != WEFT_OK || !room.broadcasts)
    return status;
  const int in_row = weft_detail_team_reserve(grid.in_row, room.in_row, 0);
  const int in_column = weft_detail_team_reserve(grid.in_column, room.in_column, 0);
  const size_t missing = std::max(in_row != WEFT_OK ? room.in_row : 0, in_column != WEFT_OK ? room.in_column : 0);
  const auto most = static_cast<size_t>(grid.largest(static_cast<int64_t>(missing)));
  if (most == 0) return WEFT_OK;
  return refuse_for_memory(weft_team_rank(grid.all) == 0, function,
                           "a rank's segment has no room left for broadcasts of %s (%zu bytes); raise "
                           "WEFT_SEGMENT_SIZE, or use more hosts",
                           readable_size(most).c_str(), most);
}

template <class T>
void reduce_all(weft_team_t team, T* values, size_t count, weft_type_t type, weft_reduce_op_t operation) {
  constexpr size_t piece = result_bytes / sizeof(T);
  for (size_t first = 0; first < count; first += piece)
    weft_reduce_all(team, values + first, WEFT_IN_PLACE, std::min(piece, count - first),
                    weft_reduction_of(type, operation), 0);
}
template void reduce_all(weft_team_t, float*, size_t, weft_type_t, weft_reduce_op_t);
template void reduce_all(weft_team_t, double*, size_t, weft_type_t, weft_reduce_op_t);
template void reduce_all(weft_team_t, int64_t*, size_t, weft_type_t, weft_reduce_op_t);

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

int make_grid(weft_team_t team, Shape shape, const char* function, Grid** grid) {
  const uint32_t me = weft_team_rank(team), members = shape.rows * shape.columns;
  set_speaks_without_grid(me == 0 || me == members);
  GridTeams teams;
  int64_t worst = 0;
  {
    const Silence silence;
    worst = -teams.make(team, shape);
  }
  reduce_all(team, &worst, 1, WEFT_I64, WEFT_REDUCE_MAX);  // ranks outside know of it, too
  if (worst != WEFT_OK) {
    teams.free();
    return refuse_for_memory(me == 0, function,
                             "a rank's segment has no room for what the grid's collectives need; raise "
                             "WEFT_SEGMENT_SIZE, or leave more of it free");
  }
  *grid = me < members ? new Grid(teams.all, teams.row, teams.column, shape.rows, shape.columns) : nullptr;
  if (*grid != nullptr) blas::share_processors(weft_host_size());
  return WEFT_OK;
}

}  // namespace weft::la
