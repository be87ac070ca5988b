// The dissemination barrier (Hensgen, Finkel, Manber 1988) as a coroutine, with any radix: in a round each member tells
// radix - 1 others, ever farther away, and hears from as many. What carries a word is a parameter. The split-phase
// barrier, whose rounds go on inside a program's own calls, is apart (barrier.hpp).
#pragma once

#include <cstdint>

#include "coll/task.hpp"

namespace weft::coll {

/// How many steps it has; a step is one member told and one heard from.
constexpr uint32_t dissemination_steps(uint32_t members, uint32_t radix) {
  uint32_t steps = 0;
  for (uint64_t distance = 1; distance < members; distance *= radix) steps += radix - 1;
  return steps;
}

/// Member `me` of `members` takes part. `tell(member, step)` and `hear(step)` give what is awaited: a word for another
/// member is on its way, and that step's word for this one has come. The frame is from `owner`'s scheduler.
template <class Owner, class Tell, class Hear>
Task disseminate([[maybe_unused]] Owner& owner, uint32_t members, uint32_t me, uint32_t radix, Tell tell, Hear hear) {
  uint32_t first = 0;
  for (uint64_t distance = 1; distance < members; distance *= radix, first += radix - 1) {
    for (uint32_t i = 0; i + 1 < radix && (i + 1) * distance < members; ++i)
      co_await tell(static_cast<uint32_t>((me + (i + 1) * distance) % members), first + i);
    for (uint32_t i = 0; i + 1 < radix && (i + 1) * distance < members; ++i) co_await hear(first + i);
  }
}

}  // namespace weft::coll
