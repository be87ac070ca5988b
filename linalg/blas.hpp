// The local kernels: BLAS's and LAPACK's, by the names that they share over the four types. Sizes are those of one
// rank's part, and fit an int (Matrix sees to that). Nothing happens for a size of 0.
#pragma once

#include <weft/linalg.h>

#include <cstdint>

namespace weft::la::blas {

template <class T>
void gemm(weft_la_op_t op_a, weft_la_op_t op_b, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda,
          const T* b, int64_t ldb, T beta, T* c, int64_t ldc);

/// C = C - A A^H, in the lower triangle of n x n; A has k columns.
template <class T>
void herk_lower(int64_t n, int64_t k, const T* a, int64_t lda, T* c, int64_t ldc);

template <class T>
void trsm(weft_la_side_t side, weft_la_triangle_t triangle, weft_la_op_t op, weft_la_diagonal_t diagonal, int64_t m,
          int64_t n, T alpha, const T* a, int64_t lda, T* b, int64_t ldb);

/// The lower Cholesky factor of n x n, in place. 0, or the order of the leading minor that is not positive definite.
template <class T>
int64_t potrf_lower(int64_t n, T* a, int64_t lda);

/// LU of m x n with partial pivoting, in place. pivots: min(m, n) rows, counted from 1. 0, or the place on U's
/// diagonal, from 1, that is the first zero.
template <class T>
int64_t getrf(int64_t m, int64_t n, T* a, int64_t lda, int* pivots);

/// Exchanges row i of `columns` columns with row pivots[i], counted from 1, for i from 0 to below `count`, in order.
template <class T>
void exchange_rows(int64_t columns, T* a, int64_t lda, const int* pivots, int64_t count);

/// Gives each rank its share of the host's processors, if the library is OpenBLAS and the user has not said how many
/// threads there are to be.
void share_processors(unsigned ranks_on_host);

}  // namespace weft::la::blas
