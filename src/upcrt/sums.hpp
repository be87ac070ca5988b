// Updates of integers that are added up before they go anywhere: a loop that updates few objects often, as a histogram
// does, sends one update for many. A table of the objects that were updated last; what has to leave it goes on to
// upcr_update().
#pragma once

#include "upcrt/state.hpp"
#include "weft/upcrt/update.h"

namespace weft::upcrt {

/// An update of U32 or U64.
struct WholeUpdate {
  upcr_pts_t target;
  upcr_update_op_t op;
  upcr_update_type_t type;
  const void* operand;  // none for UPCR_UPDATE_INC and UPCR_UPDATE_DEC
  Place where;
};

/// Adds it up.
void add_up(const WholeUpdate& update);
/// The same. upcr_add_up() finds the sum by the subscript of its target from now on.
void add_up(const WholeUpdate& update, int64_t index);

/// Hands all that has been added up to upcr_update().
void send_sums();

}  // namespace weft::upcrt
