// Everybody has come: a dissemination barrier on lines of a call.
#pragma once

#include "coll/call.hpp"

namespace weft::coll {

/// Where members share processors a phase costs a turn of each, so there is one only.
uint32_t barrier_lines(const Members& members);

/// Uses barrier_lines() lines from `line` on.
Task barrier_phase(Call& call, uint32_t line);

}  // namespace weft::coll
