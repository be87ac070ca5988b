// Everybody has come: a barrier on lines of a call. By dissemination; where hosts have several members, among the first
// members of the hosts, to whom the others of their host tell that they have come.
#pragma once

#include "coll/call.hpp"
#include "coll/dissemination_task.hpp"

namespace weft::coll {

uint32_t barrier_lines(const Team& team);
/// Uses barrier_lines() lines from `line` on.
Task barrier_phase(Call& call, uint32_t line);

// ---- Its parts ----

/// By dissemination with this radix, each step on a line. Of `n` members this is number `me`; `numbers` are their
/// numbers in the call, null if the same.
Task disseminate_on_lines(Call& call, uint32_t line, uint32_t radix, uint32_t n, uint32_t me,
                          const core::RankList* numbers);

/// Inside each host and among the leaders, who run `leaders_meet`, with the lines from gather_lines() on.
uint32_t gather_lines(const Spread& spread);
Task meet_by_hosts(Call& call, uint32_t line, Task (*leaders_meet)(Call& call, uint32_t line));

}  // namespace weft::coll
