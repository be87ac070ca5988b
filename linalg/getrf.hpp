// LU factorisation with partial pivoting.
#pragma once

#include "linalg/matrix.hpp"

namespace weft::la {

/// Factors m x n from the part's start; see weft_la_getrf(). WEFT_OK or WEFT_ERR_NO_MEMORY.
template <class T>
int getrf(int64_t m, int64_t n, const weft_la_part_t& a, int64_t* pivots, int64_t* info, const char* function);

/// Exchanges row i of the part with row pivots[i], for i from 0 to below `count`, or in the other order, in some
/// columns. Collective; nobody has begun to read before all are here, and nobody is behind it before all have written.
template <class T>
void exchange_rows(const weft_la_part_t& part, int64_t columns, const int64_t* pivots, int64_t count, bool backward);

}  // namespace weft::la
