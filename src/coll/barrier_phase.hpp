// Everybody has come: a dissemination barrier on lines of a call.
#pragma once

#include <bit>

#include "coll/call.hpp"

namespace weft::coll {

inline uint32_t barrier_lines(uint32_t members) { return static_cast<uint32_t>(std::bit_width(members - 1)); }

/// Uses barrier_lines() lines from `line` on.
Task barrier_phase(Call& call, uint32_t line);

}  // namespace weft::coll
