// Matrix multiplication: one call, as its algorithms see it.
#pragma once

#include "linalg/blas.hpp"
#include "linalg/fetch.hpp"
#include "linalg/matrix.hpp"

namespace weft::la {

/// C = alpha op(A) op(B) + beta C, with m x n elements of C and k columns of op(A).
template <class T>
struct Gemm {
  weft_la_op_t op_a, op_b;
  int64_t m, n, k;
  T alpha, beta;
  weft_la_part_t a, b, c;

  Grid& grid() const { return c.matrix->grid; }
  const Axis& row_axis() const { return c.matrix->rows; }
  const Axis& column_axis() const { return c.matrix->columns; }
  int64_t first_local_row() const { return row_axis().before(grid().row, c.row); }
  int64_t first_local_column() const { return column_axis().before(grid().column, c.column); }
  /// Rows and columns of C's part on this rank, and where they lie.
  int64_t local_m() const { return row_axis().before(grid().row, c.row + m) - first_local_row(); }
  int64_t local_n() const { return column_axis().before(grid().column, c.column + n) - first_local_column(); }
  T* local_c() const { return c.matrix->data<T>() + first_local_row() + first_local_column() * c.matrix->leading(); }
};

/// C = beta C on this rank.
template <class T>
void scale(const Gemm<T>& gemm);

/// C = alpha op_a(a) op_b(b) + beta C on this rank, where a and b are panels of `depth`. If a peer's memory is not
/// mapped, in pieces between which communication progresses.
template <class T>
void multiply_local(const Gemm<T>& gemm, weft_la_op_t op_a, weft_la_op_t op_b, int64_t depth, View<T> a, View<T> b,
                    T beta);

/// The algorithms. Collective; they begin and end with a barrier. WEFT_OK; WEFT_ERR_NO_MEMORY, alike on all ranks, in a
/// line that begins with `function`, and with C as it was.
template <class T>
int gemm_pull(const Gemm<T>& gemm, const char* function);
/// Bytes of workspace that it takes here.
template <class T>
size_t pull_bytes(const Gemm<T>& gemm);
/// For so few columns of C that A is much larger than C.
template <class T>
bool has_few_columns(const Gemm<T>& gemm);
template <class T>
size_t few_columns_bytes(const Gemm<T>& gemm);
template <class T>
int gemm_few_columns(const Gemm<T>& gemm, const char* function);
/// Both operands are not transposed, rows of A are dealt as those of C, columns of B as those of C.
template <class T>
int gemm_broadcast(const Gemm<T>& gemm, const char* function);
template <class T>
int gemm_blocking(const Gemm<T>& gemm, const char* function);
template <class T>
int gemm_flat(const Gemm<T>& gemm, const char* function);

/// Any multiplication on matrices of one grid, by an algorithm or by the one that fits.
template <class T>
int multiply(const Gemm<T>& gemm, weft_la_variant_t variant, const char* function);

/// What multiply() needs with WEFT_LA_AUTO, found out without communication.
template <class T>
Room room_for(const Gemm<T>& gemm);

/// How much of k a panel covers that has so many rows (columns): about 32 MiB, at least 256.
template <class T>
int64_t panel_depth(int64_t extent) {
  return std::clamp<int64_t>((32 << 20) / static_cast<int64_t>(sizeof(T)) / std::max<int64_t>(extent, 1), 256, 2048);
}

}  // namespace weft::la
