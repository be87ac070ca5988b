#include "linalg/fetch.hpp"

#include <weft/vis.h>

#include <algorithm>
#include <cstring>

namespace weft::la {

template <class T>
void copy_block(weft_la_op_t op, int64_t rows, int64_t columns, const T* from, int64_t from_leading, T* to,
                int64_t to_leading) {
  if (rows == 0) return;
  if (op == WEFT_LA_NONE) {
    for (int64_t j = 0; j < columns; ++j)
      std::memcpy(to + j * to_leading, from + j * from_leading, static_cast<size_t>(rows) * sizeof(T));
    return;
  }
  constexpr int64_t tile = 32;
  for (int64_t j0 = 0; j0 < columns; j0 += tile)
    for (int64_t i0 = 0; i0 < rows; i0 += tile)
      for (int64_t j = j0; j < std::min(j0 + tile, columns); ++j)
        for (int64_t i = i0; i < std::min(i0 + tile, rows); ++i) {
          const T x = from[i + j * from_leading];
          to[j + i * to_leading] = op == WEFT_LA_CONJUGATE ? conjugate(x) : x;
        }
}

template <class T>
Fetch<T>::Fetch(const Matrix& matrix, const std::vector<Interval>& rows, const std::vector<Interval>& columns,
                weft_la_op_t op, T* to, int64_t leading) {
  const Grid& grid = matrix.grid;
  const auto row_runs = runs_of(matrix.rows, rows), column_runs = runs_of(matrix.columns, columns);
  // Every rank begins with what lies in its own row and column, and so at another place than its neighbours.
  const auto from_own = [](const std::vector<Run>& runs, uint32_t own, uint32_t parts, auto work) {
    for (uint32_t turn = 0; turn < parts; ++turn)
      for (const Run& run : runs)
        if (run.owner == (own + turn) % parts) work(run);
  };
  from_own(column_runs, grid.column, grid.columns, [&](const Run& c) {
    from_own(row_runs, grid.row, grid.rows, [&](const Run& r) {
      T* place = op == WEFT_LA_NONE ? to + r.position + c.position * leading : to + c.position + r.position * leading;
      const size_t offset = matrix.offset(r.owner, c.owner, r.local, c.local);
      const int64_t there = matrix.leading(r.owner);
      if (const void* source = weft_pointer(grid.rank(r.owner, c.owner), offset)) {
        copy_block(op, r.count, c.count, static_cast<const T*>(source), there, place, leading);
      } else if (op == WEFT_LA_NONE) {
        get(matrix, r, c, place, leading);
      } else {
        staged_.push_back(
            {std::vector<T>(static_cast<size_t>(r.count * c.count)), r.count, c.count, op, place, leading});
        get(matrix, r, c, staged_.back().block.data(), r.count);
      }
    });
  });
}

template <class T>
void Fetch<T>::get(const Matrix& matrix, const Run& rows, const Run& columns, T* to, int64_t leading) {
  constexpr auto element = static_cast<ptrdiff_t>(sizeof(T));
  const ptrdiff_t here = leading * element, there = matrix.leading(rows.owner) * element;
  const auto count = static_cast<size_t>(columns.count);
  handles_.push_back(WEFT_HANDLE_DONE);
  weft_get_strided_nb(to, &here, matrix.grid.rank(rows.owner, columns.owner),
                      matrix.offset(rows.owner, columns.owner, rows.local, columns.local), &there,
                      static_cast<size_t>(rows.count) * sizeof(T), &count, 1, 0, &handles_.back());
}

template <class T>
void Fetch<T>::finish() {
  weft_handle_wait_all(handles_.data(), handles_.size());
  handles_.clear();
  for (const Staged& staged : staged_)
    copy_block(staged.op, staged.rows, staged.columns, staged.block.data(), staged.rows, staged.to, staged.leading);
  staged_.clear();
}

template <class T>
View<T> view(const Matrix& matrix, const std::vector<Interval>& rows, const std::vector<Interval>& columns) {
  const auto row_runs = runs_of(matrix.rows, rows), column_runs = runs_of(matrix.columns, columns);
  if (row_runs.size() != 1 || column_runs.size() != 1) return {};
  const Run &r = row_runs[0], &c = column_runs[0];
  const void* place =
      weft_pointer(matrix.grid.rank(r.owner, c.owner), matrix.offset(r.owner, c.owner, r.local, c.local));
  return {static_cast<const T*>(place), matrix.leading(r.owner)};
}

#define WEFT_LA_INSTANTIATE(T)                                                                 \
  template void copy_block<T>(weft_la_op_t, int64_t, int64_t, const T*, int64_t, T*, int64_t); \
  template class Fetch<T>;                                                                     \
  template View<T> view<T>(const Matrix&, const std::vector<Interval>&, const std::vector<Interval>&);
WEFT_LA_FOR_ALL_TYPES(WEFT_LA_INSTANTIATE)

}  // namespace weft::la
