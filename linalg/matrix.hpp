// A distributed matrix: its layout, and where each rank's part lies.
#pragma once

#include <weft/linalg.h>

#include <string>
#include <vector>

#include "linalg/axis.hpp"
#include "linalg/grid.hpp"
#include "linalg/scalar.hpp"

struct weft_la_matrix : weft::la::Handle {
  static constexpr Kind live = Kind::matrix;

  weft::la::Grid& grid;
  weft_la_layout_t layout;
  weft::la::Axis rows, columns;
  weft::la::Workspace memory;     ///< this rank's part
  std::vector<uint64_t> offsets;  ///< of everyone's part in its segment, by members
  int64_t number = 0;             ///< of those that weft_la_matrix_create has made on the grid, from 1; else 0

  /// Elements from one column to the next on the ranks of a grid row.
  int64_t leading(uint32_t grid_row) const;
  int64_t local_rows() const { return rows.extent_on(grid.row); }
  int64_t local_columns() const { return columns.extent_on(grid.column); }
  int64_t leading() const { return leading(grid.row); }
  template <class T>
  T* data() const {
    return memory.data<T>();
  }
  /// Where an element lies in its owner's segment, by the numbers that it has there.
  size_t offset(uint32_t grid_row, uint32_t grid_column, int64_t local_row, int64_t local_column) const {
    return offsets[grid.member(grid_row, grid_column)] +
           static_cast<size_t>(local_column * leading(grid_row) + local_row) * weft::la::size_of(layout.type);
  }
};

namespace weft::la {
using Matrix = weft_la_matrix;

/// What is wrong with a layout on a grid of this shape; empty if nothing is.
std::string layout_problem(const weft_la_layout_t& layout, uint32_t grid_rows, uint32_t grid_columns);

/// Bytes of the part of a rank at this place.
size_t part_bytes(const weft_la_layout_t& layout, const Grid& grid, uint32_t row, uint32_t column);

/// Makes a matrix whose elements are not set. Collective. The layout is valid. WEFT_OK; WEFT_ERR_NO_MEMORY, or
/// WEFT_ERR_INVALID if ranks give other layouts, alike on all ranks, with a line that begins with the function's name.
int create_matrix(Grid& grid, const weft_la_layout_t& layout, const char* function, Matrix** matrix);

/// The same for a matrix of which one member of the grid has all, as one block.
int create_on_member(Grid& grid, weft_la_type_t type, int64_t rows, int64_t columns, uint32_t member,
                     const char* function, Matrix** matrix);

/// A matrix that lives as long as a call.
struct FreeMatrix {
  void operator()(Matrix* matrix) const { weft_la_matrix_free(matrix); }
};
using TemporaryMatrix = std::unique_ptr<Matrix, FreeMatrix>;

}  // namespace weft::la
