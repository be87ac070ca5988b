// Redistribution.
#pragma once

#include "linalg/matrix.hpp"

namespace weft::la {

/// b = op(a), rows x columns of b, between any layouts of one type. Collective; begins and ends with a barrier.
void copy_part(weft_la_op_t op, int64_t rows, int64_t columns, const weft_la_part_t& a, const weft_la_part_t& b);

/// As copy_part, but only the lower triangle and diagonal of b (below: of a square part) are written.
void copy_lower(weft_la_op_t op, int64_t n, const weft_la_part_t& a, const weft_la_part_t& b);
/// The same for the upper triangle.
void copy_upper(weft_la_op_t op, int64_t n, const weft_la_part_t& a, const weft_la_part_t& b);

}  // namespace weft::la
