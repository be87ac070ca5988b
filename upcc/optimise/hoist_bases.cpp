#include "optimise/loop_plan.hpp"

// Pass hoist-bases: the address of a shared object that does not depend on the loop index is computed once, before the
// loop, down to the thread's mapped memory.

namespace upcc {

bool LoopPlanner::hoist_bases(PlannedAccess& access) const {
  if (access.motion.per_index != 0 || !options_.on(Pass::hoist_bases)) return false;
  access.movement = Movement::fixed;
  return true;
}

}  // namespace upcc
