// Solving with a triangular matrix.
#pragma once

#include "linalg/matrix.hpp"

namespace weft::la {

/// op(A) X = alpha B, or X op(A) = alpha B; X replaces B, which is m x n.
template <class T>
struct Trsm {
  weft_la_side_t side;
  weft_la_triangle_t triangle;
  weft_la_op_t op;
  weft_la_diagonal_t diagonal;
  int64_t m, n;
  T alpha;
  weft_la_part_t a, b;
};

/// What solve_triangular() needs, found out without communication. A caller asks have_room() for it before it changes
/// anything.
template <class T>
Room room_for(const Trsm<T>& call);

/// Collective. WEFT_OK or WEFT_ERR_NO_MEMORY.
template <class T>
int solve_triangular(const Trsm<T>& call, const char* function);

}  // namespace weft::la
