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

namespace upcc {

namespace {

// Whether the code has a loop without a bound: it may wait until another thread sees what was written before it.
bool may_wait(const LoopPlanner& planner, const Stmt* body) {
  bool found = false;
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    found = found || s->kind == StmtKind::while_ || s->kind == StmtKind::do_;
    if (s->kind == StmtKind::for_ || s->kind == StmtKind::upc_forall)
      found = found || planner.bound_of(s) == LoopPlanner::Bound::none;
    return !found;
  };
  walk(body, visitor);
  return found;
}

// The declared object that an lvalue is (part of), if no pointer leads to it.
const Decl* declared_object(const Expr* lvalue) {
  for (const Expr* e = strip_parens(lvalue);;) {
    if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && !m->arrow) {
      e = strip_parens(m->base);
      continue;
    }
    if (const auto* s = expr_cast<SubscriptExpr>(e)) {
      const auto* decay = expr_cast<CastExpr>(strip_parens(s->base));
      if (decay == nullptr || decay->cast_kind != CastKind::array_to_pointer) return nullptr;
      e = strip_parens(decay->operand);
      continue;
    }
    const auto* reference = expr_cast<DeclRef>(e);
    return reference == nullptr ? nullptr : reference->decl;
  }
}

bool may_be_one_object(const Expr* a, const Expr* b) {
  const Decl* x = declared_object(a);
  const Decl* y = declared_object(b);
  return x == nullptr || y == nullptr || x->name == y->name;
}

// A shared access inside loops of a body.
struct InnerAccess {
  const Expr* lvalue;
  bool writes;
};

std::vector<InnerAccess> accesses_in_loops(const Stmt* body) {
  std::vector<InnerAccess> out;
  Visitor accesses;
  accesses.expr = [&](const Expr* e) {
    const auto* c = expr_cast<CastExpr>(e);
    const auto* a = expr_cast<AssignExpr>(e);
    const auto* u = expr_cast<UnaryExpr>(e);
    if (e->access == Access::none) return true;
    if (c != nullptr) out.push_back({c->operand, false});
    if (a != nullptr) out.push_back({a->lhs, true});
    if (u != nullptr) out.push_back({u->operand, true});
    return true;
  };
  Visitor loops;
  loops.stmt = [&](const Stmt* s) {
    if (s->kind != StmtKind::for_ && s->kind != StmtKind::upc_forall) return true;
    walk(s, accesses);
    return false;
  };
  walk(body, loops);
  return out;
}

}  // namespace

void LoopPlanner::loop_windows(LoopPlan& plan, const Context& context) const {
  if (!options_.on(Pass::loop_windows) || plan.ends_early || !context.effects.lets_accesses_move()) return;
  if (may_wait(*this, context.body)) return;
  for (PlannedAccess& access : plan.accesses) {
    const bool whole = !access.partly_written && (access.writes.empty() || access.certainly_written);
    access.in_window = whole && !access.with_affinity && access.performed != 0;
  }
  // What has no window here may have one in a loop inside.
  const std::vector<InnerAccess> inner = accesses_in_loops(context.body);
  const auto in_some_window = [&](const Expr* lvalue) {
    return std::any_of(plan.accesses.begin(), plan.accesses.end(), [&](const PlannedAccess& a) {
      const bool is_a = std::find(a.same.begin(), a.same.end(), place_of(lvalue)) != a.same.end();
      return a.in_window && is_a;
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (PlannedAccess& access : plan.accesses) {
      if (!access.in_window) continue;
      const bool conflicts = std::any_of(inner.begin(), inner.end(), [&](const InnerAccess& other) {
        return (other.writes || !access.writes.empty()) && !in_some_window(other.lvalue) &&
               may_be_one_object(other.lvalue, access.lvalue);
      });
      access.in_window = !conflicts;
      changed = changed || conflicts;
    }
  }
  plan.windows_cover_all = plan.covers_all;
  for (const PlannedAccess& access : plan.accesses) {
    if (access.with_affinity || access.performed == 0) continue;
    plan.windows = plan.windows || access.in_window;
    plan.windows_cover_all = plan.windows_cover_all && access.in_window;
  }
}

}  // namespace upcc
