#include <cstdlib>

#include "optimise/loop_plan.hpp"

// Pass strength-reduction: an access that moves by a constant number of elements per iteration gets a pointer that
// moves by a constant number of bytes, instead of a division for the thread and another for the phase.
//   indefinite layout            always
//   cyclic layout                in a cyclic upc_forall and in a loop that steps by THREADS, where each thread's
//   elements
//                                are neighbours in its memory; elsewhere it walks from thread to thread
//   blocks of B                  from one block's end to the next; not worth it when runs would be short

namespace upcc {

namespace {

bool decide(PlannedAccess& access, const LoopPlan& plan) {
  if (access.motion.per_index == 0) return false;
  if (access.motion.block == 0) {
    access.movement = Movement::pointer;
    return true;
  }
  const bool cyclic = plan.split == Split::cyclic;
  if (cyclic && access.motion.block == 1) {
    // The iterations of this thread lie as far apart as the affinity's period makes them: only what comes round with it
    // stays on one thread.
    if (access.motion.per_index % plan.threads_per_index != 0) return false;
    access.movement = Movement::pointer;
    return true;
  }
  if (access.motion.block == 1) {
    access.movement = plan.shape.stride_is_threads ? Movement::pointer : Movement::walk;
    return true;
  }
  // A step that is not known, as THREADS may not be, is taken to be a small one.
  constexpr std::int64_t kGuess = 16;
  const std::int64_t step = plan.shape.step * (plan.shape.stride != nullptr || cyclic ? kGuess : 1);
  const auto elements = static_cast<std::uint64_t>(std::abs(access.motion.per_index * step));
  if (access.motion.block / elements < kShortestRun && !access.with_affinity) return false;
  access.movement = Movement::pointer;
  return true;
}

}  // namespace

const Pass Pass::strength_reduction{.name = "strength-reduction",
                                    .help = "pointer-to-shared arithmetic in loops becomes pointer increments",
                                    .move = decide};

}  // namespace upcc
