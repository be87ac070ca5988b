// What a pass of the optimiser is, and the list of all passes. A pass is one object in a file of its own: its name, its
// help, and what it decides. It has a row here. Command line, --help, manual page, planner and tests go by the rows.
#pragma once

#include <array>
#include <string_view>

namespace upcc {

struct LoopPlan;
struct PlannedAccess;
struct PlannedLoop;

struct Pass {
  std::string_view name;  // -fupc-NAME, -fno-upc-NAME
  std::string_view help;  // one line, for --help and the manual page

  // What it decides about a loop, by the step of planning that asks it (plan.cpp). The planner asks only passes that
  // are on. A step that a pass has no part in is null; one that decides nothing about loops has none.

  // Which iterations are this thread's, for loops with an affinity. The first pass that says true has decided; a loop
  // that none divides keeps its test.
  bool (*divide)(LoopPlan& plan, const PlannedLoop& loop) = nullptr;
  // What the affinity says about the accesses of such a loop.
  void (*locate)(LoopPlan& plan, const PlannedLoop& loop) = nullptr;
  // How the address of an access moves. The first pass that says true has decided; other accesses leave the plan.
  bool (*move)(PlannedAccess& access, const LoopPlan& plan) = nullptr;
  // Which accesses happen in bulk: of memory that is not mapped, or of arrays that are copied whole. Asked only if
  // accesses may move across the body.
  void (*batch)(LoopPlan& plan, const PlannedLoop& loop) = nullptr;

  static const Pass locality, forall_bounds, strength_reduction, phase_elimination, hoist_bases, gather, loop_windows,
      updates, replication;
};

// The rows. Passes with a part in the same step are asked in this order.
inline constexpr std::array kPasses{&Pass::locality,          &Pass::forall_bounds, &Pass::strength_reduction,
                                    &Pass::phase_elimination, &Pass::hoist_bases,   &Pass::gather,
                                    &Pass::loop_windows,      &Pass::updates,       &Pass::replication};

}  // namespace upcc
