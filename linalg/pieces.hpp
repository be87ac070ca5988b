// Multiplications between which communication goes on. While a rank is in BLAS it sends no more than its sockets hold,
// and answers nobody.
#pragma once

#include <algorithm>

#include "linalg/blas.hpp"
#include "linalg/fetch.hpp"

namespace weft::la {

/// How many rows BLAS multiplies in a millisecond or so.
inline int64_t rows_of_a_millisecond(int64_t multiplications_per_row) {
  return std::max<int64_t>(64, (int64_t{1} << 25) / std::max<int64_t>(1, multiplications_per_row));
}

/// C = alpha op_a(A) op_b(B) + beta C, m x n with depth k, in pieces of a millisecond or so. `between` is called after
/// each. On a grid whose ranks map each other's memory at once, and nothing is called.
template <class T, class Between>
void gemm_in_pieces(const Grid& grid, weft_la_op_t op_a, weft_la_op_t op_b, int64_t m, int64_t n, int64_t k, T alpha,
                    View<T> a, View<T> b, T beta, T* c, int64_t ldc, Between between) {
  if (grid.mapped) {
    blas::gemm(op_a, op_b, m, n, k, alpha, a.data, a.leading, b.data, b.leading, beta, c, ldc);
    return;
  }
  constexpr int64_t most_columns = 512;
  const int64_t rows = rows_of_a_millisecond(std::min(n, most_columns) * k);
  for (int64_t j = 0; j < n; j += most_columns)
    for (int64_t i = 0; i < m; i += rows) {
      blas::gemm(op_a, op_b, std::min(rows, m - i), std::min(most_columns, n - j), k, alpha,
                 a.data + (op_a == WEFT_LA_NONE ? i : i * a.leading), a.leading,
                 b.data + (op_b == WEFT_LA_NONE ? j * b.leading : j), b.leading, beta, c + i + j * ldc, ldc);
      between();
    }
}

}  // namespace weft::la
