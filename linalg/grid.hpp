// Ranks in rows and columns, and the teams that they communicate in.
#pragma once

#include <weft/coll.h>
#include <weft/job.h>
#include <weft/linalg.h>
#include <weft/segment.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "linalg/handles.hpp"
#include "linalg/report.hpp"

namespace weft::la {

/// A team of its own, freed with the object by all its members.
class OwnTeam {
 public:
  explicit OwnTeam(weft_team_t team) : team_(team) {}
  ~OwnTeam() { weft_team_free(team_); }
  OwnTeam(const OwnTeam&) = delete;
  OwnTeam& operator=(const OwnTeam&) = delete;
  operator weft_team_t() const { return team_; }

 private:
  weft_team_t team_;
};

/// Memory in this rank's own segment, for the length of a call.
class Workspace {
 public:
  explicit Workspace(size_t bytes) {
    const Silence silence;
    if (bytes != 0 && weft_alloc(bytes, 0, &offset_) != WEFT_OK) missing_ = bytes;
  }
  ~Workspace() {
    if (offset_ != 0) weft_free(offset_);
  }
  Workspace(Workspace&& other) noexcept : offset_(other.offset_), missing_(other.missing_) { other.offset_ = 0; }
  Workspace& operator=(Workspace&&) = delete;

  /// Bytes that it did not get: none or all.
  size_t missing() const { return missing_; }
  size_t offset() const { return offset_; }
  template <class T>
  T* data() const {
    return offset_ == 0 ? nullptr : static_cast<T*>(weft_pointer(weft_rank(), offset_));
  }

 private:
  size_t offset_ = 0;
  size_t missing_ = 0;
};

/// Whether all ranks have their workspace, of which this one is `missing` so many bytes. If one has not, one rank says
/// how many bytes it is and what to do. WEFT_OK or WEFT_ERR_NO_MEMORY, alike on all ranks. Collective: nobody is behind
/// it before all are at it.
int have_workspace(const weft_la_grid& grid, size_t missing, const char* function);

/// What a call needs of a rank's segment at a time, beside its operands.
struct Room {
  size_t workspace = 0;              ///< bytes
  size_t in_row = 0, in_column = 0;  ///< bytes of the largest broadcasts: alike on a grid row, a grid column
  bool broadcasts = false;           ///< whether there are any; alike on all ranks

  void add(const Room& other) {
    workspace = std::max(workspace, other.workspace);
    in_row = std::max(in_row, other.in_row);
    in_column = std::max(in_column, other.in_column);
    broadcasts = broadcasts || other.broadcasts;
  }
};

/// Whether all ranks have it. If one has not, a line says so. What is reserved for broadcasts stays, workspace is only
/// looked for. WEFT_OK or WEFT_ERR_NO_MEMORY, alike on all ranks. Collective, as have_workspace().
int have_room(const weft_la_grid& grid, const Room& room, const char* function);

/// Combines each value over all members of a team, in pieces for which a grid has room in its ranks' segments.
template <class T>
void reduce_all(weft_team_t team, T* values, size_t count, weft_type_t type, weft_reduce_op_t operation);

}  // namespace weft::la

/// The public type is the class itself.
struct weft_la_grid : weft::la::Handle {
  static constexpr Kind live = Kind::grid;
  weft_la_grid(weft_team_t team, weft_team_t row_team, weft_team_t column_team, uint32_t row_count,
               uint32_t column_count);

  uint32_t size() const { return rows * columns; }
  uint32_t member(uint32_t r, uint32_t c) const { return r * columns + c; }
  weft_rank_t rank(uint32_t r, uint32_t c) const { return ranks[member(r, c)]; }
  void barrier() const { weft_team_barrier(all); }
  /// The largest of the ranks' values, on all of them.
  int64_t largest(int64_t value) const;
  /// Everyone's value, by members.
  std::vector<uint64_t> everyones(uint64_t value) const;
  bool same_ranks(const weft_la_grid& other) const;
  /// The grid of one row with the same members, made when it is first asked for. Collective.
  int line(weft_la_grid** result, const char* function);

  const uint32_t rows, columns;
  const weft::la::OwnTeam all;        ///< rows * columns members, row by row
  const weft::la::OwnTeam in_row;     ///< of this rank's row; member number is the column
  const weft::la::OwnTeam in_column;  ///< of this rank's column; member number is the row
  const uint32_t row, column;         ///< this rank's place
  std::vector<weft_rank_t> ranks;     ///< by members
  bool mapped = true;                 ///< every rank maps every other one's memory
  int64_t number = 0;                 ///< of one made by weft_la_grid_create, from 1: alike on its ranks, of which no
                                      ///< other grid has it
  int64_t matrices = 0;               ///< that are not freed
  int64_t created = 0;                ///< by weft_la_matrix_create

 private:
  std::unique_ptr<weft_la_grid> line_;
};

namespace weft::la {
using Grid = weft_la_grid;

/// Rows and columns for so many members; what is 0 is chosen. Both 0 if there are too few members.
struct Shape {
  uint32_t rows, columns;
};
Shape choose_shape(uint32_t members, uint32_t rows, uint32_t columns);

/// Makes a grid of the team's first members; NULL on the others. Collective, and all give the same shape, which the
/// team has members for. WEFT_OK or WEFT_ERR_NO_MEMORY, with a line that begins with the function's name; alike on all.
int make_grid(weft_team_t team, Shape shape, const char* function, Grid** grid);

}  // namespace weft::la
