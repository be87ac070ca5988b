// Everybody has come: a barrier on lines of a call. By dissemination; where hosts have several members, among the first
// members of the hosts, to whom the others of their host tell that they have come.
#pragma once

#include "coll/call.hpp"

namespace weft::coll {

uint32_t barrier_lines(const Team& team);

/// Uses barrier_lines() lines from `line` on.
Task barrier_phase(Call& call, uint32_t line);

/// The same with the lines of `leaders_meet`, which leaders run, from gather_lines() on.
uint32_t gather_lines(const Spread& spread);
Task meet_by_hosts(Call& call, uint32_t line, Task (*leaders_meet)(Call& call, uint32_t line));

}  // namespace weft::coll
