// Everybody has come: a barrier on lines of a call. By dissemination; where hosts have several members, among the first
// members of the hosts, to whom the others of their host tell that they have come.
#pragma once

#include "coll/call.hpp"

namespace weft::coll {

uint32_t barrier_lines(const Team& team);
/// Uses barrier_lines() lines from `line` on.
Task barrier_phase(Call& call, uint32_t line);

// ---- Its parts ----

/// Hensgen, Finkel, Manber 1988, with any radix: in a round each member tells radix - 1 others, ever farther away, and
/// hears from as many. Of `n` members this is number `me`; `numbers` are their numbers in the call, null if the same.
uint32_t dissemination_lines(uint32_t members, uint32_t radix);
Task disseminate(Call& call, uint32_t line, uint32_t radix, uint32_t n, uint32_t me, const core::RankList* numbers);

/// Inside each host and among the leaders, who run `leaders_meet`, with the lines from gather_lines() on.
uint32_t gather_lines(const Spread& spread);
Task meet_by_hosts(Call& call, uint32_t line, Task (*leaders_meet)(Call& call, uint32_t line));

}  // namespace weft::coll
