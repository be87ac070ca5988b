#include <algorithm>
#include <vector>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Pass loop-windows: where memory is not mapped, what a loop accesses is fetched in bulk before some of its iterations
// and what they have written is written back in bulk behind them; in between they are plain C on a copy, the window
// (weft/upcrt/window.h). Relaxed accesses may move so far if nothing in the body orders them (UPC 5.1.2.3). At run time
// it is known which ranges of memory the windows show, so those that overlap become one copy.
//   reads   of what some iteration may not read, too: reading more than the program reads does no harm
//   writes  only of whole objects that each iteration writes: no byte is written that the program does not write
// The rest goes element by element, through the windows where it meets them, or through windows of loops inside. Those
// know nothing of the ones around them: what they show must not be what a window of the outer loop shows, if either is
// written.
//
// A loop inside whose bounds do not change, and whose accesses the outer loop moves as well, opens no windows of its
// own then: windows of the outer loop show what all its iterations access. At run time they may turn out to be too
// large; then the loop inside opens its own after all, so the two kinds must not meet either.

namespace upcc {

namespace {

// The shared accesses in loops of a body.
std::vector<PerformedAccess> accesses_in_loops(const Stmt* body) {
  std::vector<PerformedAccess> out;
  Visitor loops;
  loops.stmt = [&](const Stmt* s) {
    if (s->kind != StmtKind::for_ && s->kind != StmtKind::upc_forall) return true;
    const std::vector<PerformedAccess> inside = shared_accesses(s);
    out.insert(out.end(), inside.begin(), inside.end());
    return false;
  };
  walk(body, loops);
  return out;
}

// The loops that each iteration runs.
void add_inner_loops(const Stmt* s, std::vector<const ForStmt*>& out) {
  if (const auto* loop = stmt_cast<ForStmt>(s)) out.push_back(loop);
  if (const auto* block = stmt_cast<CompoundStmt>(s)) {
    for (const Stmt* item : block->items) add_inner_loops(item, out);
  }
}

bool any_shows(const std::vector<PlannedAccess*>& windows, const Expr* lvalue) {
  return std::any_of(windows.begin(), windows.end(),
                     [&](const PlannedAccess* a) { return a->in_window && a->is_at(place_of(lvalue)); });
}

// Takes windows away until none shows what a loop inside accesses otherwise, if either writes.
void keep_apart(const std::vector<PlannedAccess*>& windows, const std::vector<PerformedAccess>& inner) {
  for (bool changed = true; changed;) {
    changed = false;
    for (PlannedAccess* access : windows) {
      const bool meets = std::any_of(inner.begin(), inner.end(), [&](const PerformedAccess& other) {
        return (other.writes || !access->writes.empty()) && !any_shows(windows, other.lvalue) &&
               may_be_one_object(other.lvalue, access->lvalue);
      });
      changed = changed || (meets && access->in_window);
      access->in_window = access->in_window && !meets;
    }
  }
}

}  // namespace

const Stmt* LoopPlanner::loop_that_may_wait(const Stmt* body) const {
  const Stmt* found = nullptr;
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    const bool counts = s->kind == StmtKind::for_ || s->kind == StmtKind::upc_forall;
    const bool is_loop = counts || s->kind == StmtKind::while_ || s->kind == StmtKind::do_;
    if (found == nullptr && is_loop && bound_of(s) == Bound::none) found = s;
    return found == nullptr;
  };
  walk(body, visitor);
  return found;
}

namespace {

// Accesses of loops inside that windows of this one can show.
void nested_windows(LoopPlan& plan, const PlannedLoop& planned) {
  const LoopPlanner& planner = planned.planner;
  const LoopPlanner::Context& context = planned.context;
  const bool skips = planner.may_skip(context.body);
  std::vector<const ForStmt*> loops;
  add_inner_loops(context.body, loops);
  for (const ForStmt* loop : loops) {
    const auto inner = planner.counted(loop->init, loop->condition, loop->step, loop->body);
    if (!inner || inner->effects.one_copy() || inner->effects.ends_early() || !inner->shape.seconds.empty()) continue;
    const LoopShape& shape = inner->shape;
    const auto known_before = [&](const Expr* e) {
      return e != nullptr && context.effects.same_value(e) && context.effects.means_the_same_before(e);
    };
    if (!known_before(shape.first) || (shape.limit != nullptr && !known_before(shape.limit))) continue;
    if (shape.stride != nullptr || shape.tested() || shape.condition_steps) continue;
    if (shape.index->name == context.shape.index->name) continue;
    LoopPlan inside;
    inside.shape = shape;
    planner.collect(inside, *inner, [](const Expr*) { return false; });
    const LoopPlanner::Context outside{
        .shape = context.shape, .effects = context.effects.with_constant(shape.index), .body = context.body};
    for (PlannedAccess& access : inside.accesses) {
      if (access.performed == 0 || access.partly_written) continue;
      if (!access.writes.empty() && !access.certainly_written) continue;
      if (!planner.moves(access, inside)) continue;
      if (!outside.effects.means_the_same_before(access.lvalue)) continue;
      outside.only_if_certain = false;
      const auto motion = planner.lvalue_motion(access.lvalue, outside);
      if (!motion || motion->block != access.motion.block || motion->element_size != access.motion.element_size)
        continue;
      // The loop inside may not run at all.
      if (access.only_if_certain || outside.only_if_certain) continue;
      access.certain = access.certain && !skips;
      if (!access.certain && !access.writes.empty()) continue;
      access.in_window = true;
      plan.nested.push_back({access, shape, motion->per_index});
    }
  }
}

void decide(LoopPlan& plan, const PlannedLoop& loop) {
  for (PlannedAccess& access : plan.accesses) {
    const bool whole = !access.partly_written && (access.writes.empty() || access.certainly_written);
    access.in_window = whole && !access.with_affinity && access.performed != 0;
  }
  nested_windows(plan, loop);
  // What has no window of either kind here may have one in a loop inside.
  std::vector<PlannedAccess*> own;
  std::vector<PlannedAccess*> nested;
  for (PlannedAccess& access : plan.accesses) own.push_back(&access);
  for (NestedAccess& access : plan.nested) nested.push_back(&access.access);
  const std::vector<PerformedAccess> inner = accesses_in_loops(loop.context.body);
  keep_apart(own, inner);
  keep_apart(nested, inner);
  // What a window shows already, and this thread's own memory, need no second one.
  for (PlannedAccess* access : nested) {
    access->in_window = access->in_window && std::none_of(own.begin(), own.end(), [&](const PlannedAccess* a) {
                          return (a->in_window || a->with_affinity) && a->is_at(place_of(access->lvalue));
                        });
  }
  std::erase_if(plan.nested, [](const NestedAccess& a) { return !a.access.in_window; });
}

}  // namespace

const Pass Pass::loop_windows{
    .name = "loop-windows",
    .help = "memory of other hosts is fetched before a loop's iterations and written back after them, in bulk",
    .batch = decide};

}  // namespace upcc
