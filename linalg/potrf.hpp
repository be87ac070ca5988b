// Cholesky factorisation.
#pragma once

#include "linalg/matrix.hpp"

namespace weft::la {

/// Factors n x n from the part's start; see weft_la_potrf(). WEFT_OK or WEFT_ERR_NO_MEMORY.
template <class T>
int potrf(weft_la_triangle_t triangle, int64_t n, const weft_la_part_t& a, int64_t* info, const char* function);

}  // namespace weft::la
