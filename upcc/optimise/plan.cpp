#include <algorithm>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Builds the plan of one loop: shape, share of the iterations, accesses; each by its pass.

namespace upcc {

const Expr* place_of(const Expr* lvalue) {
  for (const Expr* e = strip_parens(lvalue);;) {
    if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && !m->arrow && m->base->is_shared_lvalue()) {
      e = strip_parens(m->base);
      continue;
    }
    if (const auto* s = expr_cast<SubscriptExpr>(e)) {
      if (const Expr* array = decayed_array(s->base)) {
        // Through the dimensions of a member array to the member.
        while (const auto* outer = expr_cast<SubscriptExpr>(array)) {
          const Expr* inner = decayed_array(outer->base);
          if (inner == nullptr) break;
          array = inner;
        }
        const auto* m = expr_cast<MemberExpr>(array);
        if (m != nullptr && !m->arrow && m->base->is_shared_lvalue()) {
          e = array;
          continue;
        }
      }
    }
    return e;
  }
}

namespace {

// The declared object that an lvalue is (part of), if no pointer leads to it.
const Decl* declared_object(const Expr* lvalue) {
  for (const Expr* e = strip_parens(lvalue);;) {
    if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && !m->arrow) {
      e = strip_parens(m->base);
      continue;
    }
    if (const auto* s = expr_cast<SubscriptExpr>(e)) {
      e = decayed_array(s->base);
      if (e == nullptr) return nullptr;
      continue;
    }
    const auto* reference = expr_cast<DeclRef>(e);
    return reference == nullptr ? nullptr : reference->decl;
  }
}

// Whether the bytes from one iteration to the next are a number for C.
bool moves_little(const Motion& motion, const LoopShape& shape) {
  constexpr Int128 kLimit = Int128{1} << 60;
  const Int128 bytes = Int128{motion.per_index} * shape.step * static_cast<std::int64_t>(motion.element_size);
  return bytes < kLimit && bytes > -kLimit;
}

}  // namespace

bool may_be_one_object(const Expr* a, const Expr* b) {
  const Decl* x = declared_object(a);
  const Decl* y = declared_object(b);
  return x == nullptr || y == nullptr || x->name == y->name;
}

std::vector<PerformedAccess> shared_accesses(const Stmt* body) {
  std::vector<PerformedAccess> out;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    if (e->access == Access::none) return true;
    const auto* c = expr_cast<CastExpr>(e);
    const auto* a = expr_cast<AssignExpr>(e);
    const auto* u = expr_cast<UnaryExpr>(e);
    if (c != nullptr) out.push_back({c->operand, true, false});
    if (a != nullptr) out.push_back({a->lhs, a->compound, true});
    if (u != nullptr) out.push_back({u->operand, true, true});
    return true;
  };
  walk(body, visitor);
  return out;
}

void LoopPlanner::collect(LoopPlan& plan, const Context& context, const std::function<bool(const Expr*)>& known) const {
  enum class Kind : std::uint8_t { read, write, update, local_cast };
  const auto add = [&](const Expr* accessed, Kind kind, const CastExpr* local_cast = nullptr) {
    const Expr* place = place_of(accessed);
    if (known(place) || place->is_bitfield || place->type->is_array() || accessed->type.stays_as_written()) return;
    if (!context.effects.means_the_same_before(place)) return;
    context.only_if_certain = false;
    bool of_record = false;
    const auto motion = place_motion(place, context, of_record);
    if (!motion || !moves_little(*motion, context.shape)) return;
    auto access = std::find_if(plan.accesses.begin(), plan.accesses.end(),
                               [&](const PlannedAccess& other) { return same_expression(other.lvalue, place); });
    if (access == plan.accesses.end()) {
      access = plan.accesses.emplace(access);
      access->lvalue = place;
      access->motion = *motion;
      access->of_record = of_record;
      access->only_if_certain = context.only_if_certain;
    }
    access->same.push_back(place);
    access->read = access->read || kind == Kind::read || kind == Kind::update;
    access->written = access->written || kind != Kind::read;
    if (local_cast != nullptr) {
      access->local_casts.push_back({local_cast, place});
      return;
    }
    ++access->performed;
    if (kind == Kind::read) return;
    if (strip_parens(accessed) == place && !of_record)
      access->writes.push_back(place);
    else
      access->partly_written = true;
  };
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    if (const auto* c = expr_cast<CastExpr>(e)) {
      if (c->cast_kind == CastKind::lvalue_to_rvalue && c->access == Access::relaxed) add(c->operand, Kind::read);
      const auto* address =
          c->cast_kind == CastKind::pts_to_local ? expr_cast<UnaryExpr>(strip_parens(c->operand)) : nullptr;
      // &*p is p, which may be null.
      const bool is_address = address != nullptr && address->op == UnaryOp::address_of;
      if (is_address && strip_parens(address->operand)->kind != ExprKind::unary && options_.on(Pass::locality))
        add(address->operand, Kind::local_cast, c);
    } else if (const auto* a = expr_cast<AssignExpr>(e); a != nullptr && a->access == Access::relaxed) {
      add(a->lhs, a->compound ? Kind::update : Kind::write);
    } else if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && u->access == Access::relaxed) {
      add(u->operand, Kind::update);
    }
    return true;
  };
  // A loop without a bound may be waiting for another thread: its reads stay where they are.
  visitor.stmt = [this](const Stmt* s) {
    if (s->kind == StmtKind::for_ || s->kind == StmtKind::upc_forall) return bound_of(s) != Bound::none;
    return s->kind != StmtKind::while_ && s->kind != StmtKind::do_;
  };
  walk(context.body, visitor);
  mark_certain(plan, context.body);
  std::erase_if(plan.accesses, [](const PlannedAccess& access) { return access.only_if_certain && !access.certain; });
  // One with a bound may look again and again for something that ends it early: it must look.
  if (context.effects.ends_early()) {
    std::erase_if(plan.accesses, [](const PlannedAccess& a) { return a.motion.per_index == 0 && !a.written; });
  }
}

bool LoopPlanner::may_skip(const Stmt* body) const {
  bool skips = false;
  Visitor jumps;
  jumps.stmt = [&](const Stmt* s) {
    skips = skips || s->kind == StmtKind::continue_ || s->kind == StmtKind::return_;
    return true;
  };
  walk(body, jumps);
  return skips || !always_returns(body);
}

bool LoopPlanner::always_returns(const Stmt* body) const {
  bool returns = true;
  Visitor calls;
  calls.expr = [&](const Expr* e) {
    const auto* call = expr_cast<CallExpr>(e);
    returns = returns && (call == nullptr || surely_returns(call, context_));
    return returns;
  };
  walk(body, calls);
  return returns;
}

void LoopPlanner::mark_certain(LoopPlan& plan, const Stmt* body) const {
  std::unordered_set<const Expr*> certain;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* b = expr_cast<BinaryExpr>(e);
    const bool logical = b != nullptr && (b->op == BinaryOp::logical_and || b->op == BinaryOp::logical_or);
    const auto* c = expr_cast<ConditionalExpr>(e);
    if (!logical) certain.insert(strip_parens(e));
    if (logical) walk(b->lhs, visitor);
    if (c != nullptr) walk(c->condition, visitor);
    return !logical && c == nullptr;
  };
  visitor.stmt = [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::expression:
      case StmtKind::compound:
      case StmtKind::declaration:
      case StmtKind::null:
        return true;
      case StmtKind::if_:
        walk(static_cast<const IfStmt*>(s)->condition, visitor);
        return false;
      default:
        return false;
    }
  };
  walk(body, visitor);
  if (may_skip(body)) return;
  for (PlannedAccess& access : plan.accesses) {
    for (const Expr* e : access.same) access.certain = access.certain || certain.contains(e);
    for (const Expr* e : access.writes) access.certainly_written = access.certainly_written || certain.contains(e);
  }
}

bool LoopPlanner::moves(PlannedAccess& access, const LoopPlan& plan) const {
  return std::any_of(kPasses.begin(), kPasses.end(), [&](const Pass* pass) {
    return pass->move != nullptr && options_.on(*pass) && pass->move(access, plan);
  });
}

std::optional<LoopPlan> LoopPlanner::plan(LoopClauses& loop, const std::function<bool(const Expr*)>& known) {
  if (loop.affinity == nullptr) {
    if (const auto divided = divided_by_test(loop)) {
      if (auto plan = plan_as_it_is(*divided, known)) {
        loop = *divided;
        return plan;
      }
    }
  }
  return plan_as_it_is(loop, known);
}

void LoopPlanner::keep_those_that_move(LoopPlan& plan, const Stmt* body) const {
  std::erase_if(plan.accesses, [&](PlannedAccess& a) { return !moves(a, plan); });
  std::size_t performed = 0;
  for (const PlannedAccess& access : plan.accesses) performed += access.performed;
  plan.covers_all = performed == shared_accesses(body).size();
  plan.joined = joins_blocks(plan, body);
}

std::shared_ptr<const LoopPlan> LoopPlanner::plan_of_own_memory(const LoopPlan& plan, const Stmt* body) const {
  const auto& accesses = plan.accesses;
  const auto asked = [](const PlannedAccess& a) { return a.moves_with_affinity; };
  if (std::none_of(accesses.begin(), accesses.end(), asked)) return nullptr;
  LoopPlan own = plan;
  for (PlannedAccess& access : own.accesses) access.with_affinity = access.with_affinity || access.moves_with_affinity;
  std::erase_if(own.accesses, [](const PlannedAccess& a) { return !a.with_affinity; });
  keep_those_that_move(own, body);
  return own.covers_all ? std::make_shared<const LoopPlan>(std::move(own)) : nullptr;
}

// What the passes have found for memory that is not mapped.
void LoopPlanner::sum_up(LoopPlan& plan, const Stmt* body) {
  std::size_t planned = plan.updates.size();
  for (const PlannedAccess& access : plan.accesses) {
    if (access.in_window || access.with_affinity) planned += access.performed;
    plan.windows = plan.windows || access.in_window;
  }
  for (const NestedAccess& a : plan.nested) planned += a.access.performed;
  for (const PlannedAccess& a : plan.gathered) planned += a.performed;
  plan.windows = plan.windows || !plan.nested.empty() || !plan.gathered.empty() || !plan.updates.empty() ||
                 !plan.replicated.empty();
  plan.windows_cover_all = planned == shared_accesses(body).size();
}

std::optional<LoopPlan> LoopPlanner::plan_as_it_is(const LoopClauses& loop,
                                                   const std::function<bool(const Expr*)>& known) const {
  const auto context = counted(loop.init, loop.condition, loop.step, loop.body);
  if (!context || context->effects.one_copy() || context->effects.leaves()) return std::nullopt;
  const bool divides = loop.affinity != nullptr;
  if (divides && context->shape.condition_steps) return std::nullopt;
  const PlannedLoop planned{*this, loop, *context, known};
  LoopPlan plan;
  plan.shape = context->shape;
  plan.ends_early = context->effects.ends_early();
  const auto divided_by = [&](const Pass* pass) {
    return pass->divide != nullptr && options_.on(*pass) && pass->divide(plan, planned);
  };
  if (divides && std::none_of(kPasses.begin(), kPasses.end(), divided_by)) return std::nullopt;
  collect(plan, *context, known);
  for (const Pass* pass : kPasses) {
    if (divides && pass->locate != nullptr && options_.on(*pass)) pass->locate(plan, planned);
  }
  plan.own = plan_of_own_memory(plan, loop.body);
  keep_those_that_move(plan, loop.body);
  if (!plan.ends_early && context->effects.lets_accesses_move() && loop_that_may_wait(loop.body) == nullptr) {
    for (const Pass* pass : kPasses) {
      if (pass->batch != nullptr && options_.on(*pass)) pass->batch(plan, planned);
    }
  }
  sum_up(plan, loop.body);
  const bool decided = !plan.accesses.empty() || !plan.nested.empty() || !plan.gathered.empty() ||
                       !plan.updates.empty() || !plan.replicated.empty();
  if (!decided && !divides) return std::nullopt;
  return plan;
}

}  // namespace upcc
