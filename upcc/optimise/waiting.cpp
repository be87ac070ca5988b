#include "optimise/loop_plan.hpp"

// Which loops may wait for another thread: those without a bound. In them shared memory is looked at each time, and the
// ones that look at one place again and again give the processor away now and then. No pass: programs that spin on a
// relaxed variable end at every level of optimisation.

namespace upcc {

LoopPlanner::Bound LoopPlanner::bound_of(const Stmt* loop) const {
  std::optional<Context> context;
  if (const auto* f = stmt_cast<ForStmt>(loop)) context = counted(f->init, f->condition, f->step, f->body);
  if (const auto* f = stmt_cast<UpcForallStmt>(loop)) context = counted(f->init, f->condition, f->step, f->body);
  if (!context) return Bound::none;
  return context->effects.ends_early() || context->effects.one_copy() ? Bound::at_most : Bound::complete;
}

namespace {

bool changes_place(const Effects& effects, const Expr* place) {
  bool changes = false;
  Visitor names;
  names.expr = [&](const Expr* e) {
    const auto* reference = expr_cast<DeclRef>(e);
    changes = changes || e->has_side_effects || (reference != nullptr && effects.changes(reference->decl));
    return !changes;
  };
  walk(place, names);
  return changes;
}

}  // namespace

bool LoopPlanner::moves_in(const Stmt* loop, const Expr* place) const {
  Effects effects(context_, address_taken_);
  effects.add(loop);
  return changes_place(effects, place);
}

bool LoopPlanner::spins(const Stmt* loop) const {
  Effects effects(context_, address_taken_);
  effects.add(loop);
  // It looks itself, or in a loop inside that ends, or a function of the program may.
  bool found = false;
  bool inside = false;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* read = expr_cast<CastExpr>(e);
    found = found || (read != nullptr && read->access == Access::relaxed && read->type->is_scalar() &&
                      (inside || !changes_place(effects, read->operand)));
    const auto* call = expr_cast<CallExpr>(e);
    const FunctionDecl* f = call == nullptr ? nullptr : call->direct;
    found = found || (call != nullptr && (f == nullptr || !(f->is_builtin || f->in_system_header)));
    return !found;
  };
  visitor.stmt = [&](const Stmt* s) {
    if (s == loop || inside) return true;
    if (s->kind != StmtKind::for_ && s->kind != StmtKind::while_ && s->kind != StmtKind::do_ &&
        s->kind != StmtKind::upc_forall) {
      return true;
    }
    if (bound_of(s) == Bound::none) return false;  // looks after itself
    inside = true;
    walk(s, visitor);
    inside = false;
    return false;
  };
  // What begins a loop happens once.
  const auto* counting = stmt_cast<ForStmt>(loop);
  if (counting == nullptr) walk(loop, visitor);
  if (counting != nullptr) {
    walk(counting->condition, visitor);
    walk(counting->step, visitor);
    walk(counting->body, visitor);
  }
  return found;
}

}  // namespace upcc
