#include "optimise/loop_plan.hpp"

// Pass hoist-bases: the address of a shared object that does not depend on the loop index is computed once, before the
// loop, down to the thread's mapped memory.

namespace upcc {

namespace {

bool decide(PlannedAccess& access, const LoopPlan& /*plan*/) {
  if (access.motion.per_index != 0) return false;
  access.movement = Movement::fixed;
  return true;
}

}  // namespace

const Pass Pass::hoist_bases{
    .name = "hoist-bases", .help = "addresses that do not change in a loop are computed before it", .move = decide};

}  // namespace upcc
