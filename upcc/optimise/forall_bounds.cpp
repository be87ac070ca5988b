#include <cstdlib>

#include "optimise/loop_plan.hpp"

// Pass forall-bounds: which iterations of a upc_forall are this thread's, as loop bounds instead of a test in each
// iteration (UPC 6.6.2). An affinity that is linear in the index gives
//   cyclic layout or an integer   every THREADS-th iteration (every THREADS/gcd-th when it advances by more than one)
//   blocks of B elements          runs of iterations, one per block
//   indefinite layout, constant   all iterations on one thread
// Anything else keeps the test.

namespace upcc {

bool LoopPlanner::forall_bounds(LoopPlan& plan, const UpcForallStmt* loop, const Context& context) const {
  if (!options_.on(Pass::forall_bounds) || loop->affinity->has_side_effects) return false;
  // Products of these are computed at run time.
  constexpr std::int64_t kLargest = std::int64_t{1} << 20;
  const auto large = [&](std::int64_t per_index) { return std::abs(per_index) >= kLargest; };
  context.only_if_no_wrap = false;
  if (loop->affinity_kind == AffinityKind::integer) {
    const auto per_index = coefficient(loop->affinity, context);
    if (!per_index || large(*per_index) || context.only_if_no_wrap) return false;
    plan.affinity_per_index = *per_index;
    plan.affinity_block = 1;
    plan.split = *per_index == 0 ? Split::one_thread : Split::cyclic;
    return true;
  }
  const auto motion = pointer_motion(loop->affinity, context);
  if (!motion || large(motion->per_index) || context.only_if_no_wrap) return false;
  plan.affinity_per_index = motion->per_index;
  plan.affinity_block = motion->block;
  plan.split = motion->per_index == 0 || motion->block == 0 ? Split::one_thread
               : motion->block == 1                         ? Split::cyclic
                                                            : Split::blocked;
  return true;
}

}  // namespace upcc
