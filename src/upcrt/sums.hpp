// Updates of integers that are added up before they go anywhere: a loop that updates few objects often, as a histogram
// does, sends one update for many. A table of the objects that were updated last; what has to leave it goes on to
// upcr_update().
#pragma once

#include "upcrt/state.hpp"
#include "weft/upcrt/update.h"

namespace weft::upcrt {

/// Adds an update of U32 or U64 up.
/// @param operand  its value; none for UPCR_UPDATE_INC and UPCR_UPDATE_DEC
void add_up(upcr_pts_t target, upcr_update_op_t op, upcr_update_type_t type, const void* operand, Place where);

/// Hands all that has been added up to upcr_update().
void send_sums();

}  // namespace weft::upcrt
