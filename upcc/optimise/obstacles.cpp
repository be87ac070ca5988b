#include <algorithm>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"
#include "optimise/report.hpp"

// Why the passes left an access in a loop as it is, in words for the user. Asked only for a report.

namespace upcc {

namespace {

// What in a piece of code orders accesses, or may do so.
std::string what_orders(const Stmt* code, const EffectContext& context) {
  std::string found;
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    const auto* sync = stmt_cast<UpcSyncStmt>(s);
    if (sync != nullptr && found.empty()) {
      constexpr const char* kNames[] = {"upc_notify", "upc_wait", "upc_barrier", "upc_fence"};
      found = std::string(kNames[static_cast<unsigned>(sync->sync)]) + " in the loop orders accesses";
    }
    if (s->kind == StmtKind::asm_ && found.empty()) found = "assembly in the loop may access anything";
    return found.empty();
  };
  visitor.expr = [&](const Expr* e) {
    if (!found.empty()) return false;
    if (e->access == Access::strict) found = "a strict access in the loop orders the others";
    const auto* call = expr_cast<CallExpr>(e);
    if (call == nullptr || !may_order_accesses(call, context)) return found.empty();
    if (call->direct == nullptr) {
      found = "a call through a pointer in the loop may access shared memory";
      return false;
    }
    const std::string name = "'" + std::string(call->direct->name->text) + "'";
    const bool library = call->direct->is_builtin || call->direct->in_system_header;
    const bool elsewhere = call->direct->definition == nullptr;
    found = library     ? name + " in the loop may access shared memory, or orders accesses"
            : elsewhere ? name + " in the loop may access shared memory: it is not defined in this file"
                        : name + " in the loop accesses shared memory, or calls what may";
    return false;
  };
  walk(code, visitor);
  return found;
}

// Whether a step moves a pointer.
bool moves_pointer(const Expr* step) {
  const auto* unary = expr_cast<UnaryExpr>(strip_parens(step));
  const auto* assign = expr_cast<AssignExpr>(strip_parens(step));
  const Expr* moved = unary != nullptr ? unary->operand : assign != nullptr ? assign->lhs : nullptr;
  return moved != nullptr && strip_parens(moved)->kind == ExprKind::decl_ref && moved->type->is_pointer();
}

}  // namespace

std::string LoopPlanner::obstacle(const LoopClauses& loop, const TranslationUnit& unit) const {
  if (!options_.on(Pass::loop_windows)) return "the pass is off; -O1 or -fupc-loop-windows switches it on";
  return obstacle_to_moving(loop, unit);
}

std::string LoopPlanner::obstacle_to_counting(const LoopClauses& loop, const TranslationUnit& unit) const {
  if (loop.body == nullptr) return "the loop has no count";
  if (counted(loop.init, loop.condition, loop.step, loop.body)) return {};
  const std::vector<const Expr*> parts = parts_of(loop.step);
  for (const Expr* part : parts) {
    const auto context = counted(nullptr, loop.condition, part, loop.body);
    if (!context) continue;
    const std::string index = "'" + std::string(context->shape.index->name->text) + "'";
    LoopShape shape = context->shape;
    for (const Expr* other : parts) {
      if (other == part) continue;
      const std::string written = "'" + as_written(unit, other) + "'";
      if (!second_of(other, shape))
        return "the loop's step does more than move variables by constants: leave " + written +
               " out and compute it from " + index;
      if (context->effects.ends_early())
        return "break, goto or return may end the loop early, whose step is more than that of " + index;
      const Decl* moved = shape.seconds.back().variable;
      if (context->effects.changes(moved) || context->effects.takes_address_of(moved))
        return "what " + written + " moves may change elsewhere in the loop, too";
    }
    return "the loop's first clause is not one assignment to " + index + ": put the rest before the loop";
  }
  if (parts.size() == 1 && moves_pointer(parts[0]))
    return "the loop counts with a pointer: count with an integer, 'k++, " + as_written(unit, parts[0]) + "'";
  return obstacle_to_shape(loop, unit);
}

const Expr* LoopPlanner::changing_bound(const LoopClauses& loop) const {
  const auto context = loop.body == nullptr ? std::nullopt : shaped(loop.init, loop.condition, loop.step, loop.body);
  if (!context) return nullptr;
  const LoopShape& shape = context->shape;
  bool loads = false;
  if (shape.limit != nullptr && !context->effects.same_value(shape.limit, &loads)) return shape.limit;
  return shape.stride != nullptr && !context->effects.same_value(shape.stride) ? shape.stride : nullptr;
}

// Why a loop with at most one step has no count.
std::string LoopPlanner::obstacle_to_shape(const LoopClauses& loop, const TranslationUnit& unit) const {
  const auto quoted = [&](const Expr* e) { return "'" + as_written(unit, e) + "'"; };
  if (const Expr* bound = changing_bound(loop))
    return quoted(bound) + " may change in the loop: if it does not, copy it to a local variable before the loop";
  if (loop.condition == nullptr) return "the loop has no condition";
  LoopShape shape;
  if (loop.step == nullptr && !step_in(loop.condition, shape))
    return "the loop has no third clause that counts: write its step there, i++, i--, i += c or i -= c";
  if (loop.step != nullptr && !steps_of(loop.step, loop.condition, shape)) {
    return "the step " + quoted(loop.step) +
           " does not move an int, long, or unsigned one of them, by an amount that is known to stay the same: i++, "
           "i--, i += c, i -= c";
  }
  const std::string index = "'" + std::string(shape.index->name->text) + "'";
  Effects body(context_, address_taken_);
  body.add(loop.body);
  if (body.changes(shape.index)) return "the loop's body may change its index, " + index;
  if (!limit_of(loop.condition, shape)) {
    const bool index_signed = TypeContext::is_signed(shape.index->type.type);
    return "the condition " + quoted(loop.condition) +
           " does not tell the count. These do: i < n, i <= n, i + 1 < n, " +
           "i != n with a step of 1, i, i-- > 0 without another step" +
           (index_signed ? "" : "; an unsigned index must not pass the end of its type");
  }
  if (!shape.index_is_local()) return "the loop's index, " + index + ", is no local variable";
  if (body.takes_address_of(shape.index))
    return "the address of the loop's index, " + index + ", is taken, so other code may change it";
  return "the count of the loop is not known when it begins";
}

std::string LoopPlanner::obstacle_to_moving(const LoopClauses& loop, const TranslationUnit& unit) const {
  if (std::string found = obstacle_to_counting(loop, unit); !found.empty()) return found;
  const auto context = counted(loop.init, loop.condition, loop.step, loop.body);
  if (context->effects.leaves() || context->effects.ends_early()) return "break, goto or return may end the loop early";
  if (context->effects.one_copy()) return "the loop has a label, a static variable or assembly";
  if (std::string found = what_orders(loop.body, context_); !found.empty()) return found;
  if (!context->effects.lets_accesses_move()) return "something in the loop may order accesses";
  if (const Stmt* inside = loop_that_may_wait(loop.body)) {
    const std::string name =
        "the loop of line " + std::to_string(unit.source.presumed(inside->loc).line) + ", inside, ";
    if (spins(inside) && changing_bound(clauses_of(inside)) == nullptr) return name + "may wait for another thread";
    return name + "is in the way: " + obstacle_to_counting(clauses_of(inside), unit);
  }
  return {};
}

const Expr* LoopPlanner::step_in_place(const Context& context, const Expr* place) const {
  LoopPlan plan;
  plan.accesses.emplace_back().same = {place};
  mark_certain(plan, context.body);
  if (!plan.accesses[0].certain) return nullptr;
  const UnaryExpr* found = nullptr;
  Visitor steps;
  steps.expr = [&](const Expr* e) {
    const auto* unary = expr_cast<UnaryExpr>(e);
    LoopShape shape = context.shape;
    const bool behind = unary != nullptr && (unary->op == UnaryOp::post_inc || unary->op == UnaryOp::post_dec);
    if (behind && second_of(e, shape)) found = unary;
    return found == nullptr;
  };
  walk(place, steps);
  if (found == nullptr) return nullptr;
  const Decl* stepped = static_cast<const DeclRef*>(strip_parens(found->operand))->decl;
  std::size_t mentions = 0;
  Visitor others;
  others.expr = [&](const Expr* e) {
    const auto* reference = expr_cast<DeclRef>(e);
    if (reference != nullptr && reference->decl == stepped) ++mentions;
    return true;
  };
  walk(context.body, others);
  return mentions == 1 ? found : nullptr;
}

std::string LoopPlanner::obstacle(const LoopClauses& loop, const Expr* lvalue, bool written,
                                  const TranslationUnit& unit) const {
  const auto context = counted(loop.init, loop.condition, loop.step, loop.body);
  const Expr* place = place_of(lvalue);
  const std::string index = "'" + std::string(context->shape.index->name->text) + "'";
  if (lvalue->is_bitfield) return "it is a bit-field";
  if (lvalue->type.stays_as_written()) return "it is volatile or atomic";
  bool of_record = false;
  if (!place_motion(place, *context, of_record)) {
    bool loads = false;
    const bool known =
        context->of_one_iteration().same_place(place, &loads) && context->effects.means_the_same_before(place);
    const Expr* step = known ? nullptr : step_in_place(*context, place);
    if (step != nullptr) return "move its step, '" + as_written(unit, step) + "', into the loop's third clause";
    return "it does not move by equal steps with " + index + ", and " +
           (known ? obstacle_to_gather(loop, *context, place, unit)
                  : "where it lies is not known before the iterations: compute the places first, in a loop of its own, "
                    "into a private array (docs/UPC.md, \"Places first\")");
  }
  if (written && (of_record || strip_parens(lvalue) != place))
    return "only a part of the element is written; assign the whole of it";
  LoopPlan plan;
  plan.shape = context->shape;
  collect(plan, *context, [](const Expr*) { return false; });
  for (PlannedAccess& access : plan.accesses) {
    if (!access.is_at(place)) continue;
    if (!moves(access, plan))
      return "a block of " + std::to_string(access.motion.block) + " lasts for less than " +
             std::to_string(kShortestRun) + " iterations; larger ones would be moved at once";
    if (access.partly_written) return "only a part of the element is written elsewhere in the loop";
    if (!access.writes.empty() && !access.certainly_written) return "some iterations may not write it";
    return "an access of a loop inside may meet it";
  }
  return "its address is not known before each iteration";
}

}  // namespace upcc
