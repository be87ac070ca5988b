#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Pass locality: accesses that are certain to be to this thread's memory, because the affinity expression of the
// upc_forall around them, or a test of upc_threadof(), says so. Where a pointer may lead to any thread, but moves as
// the affinity does, one comparison before the loop tells whether it is such an access.

namespace upcc {

const Expr* strip_conversions(const Expr* e) {
  for (;;) {
    e = strip_parens(e);
    const auto* c = expr_cast<CastExpr>(e);
    if (c == nullptr || !(c->cast_kind == CastKind::noop || c->cast_kind == CastKind::pts_to_pts_keep ||
                          c->cast_kind == CastKind::integral || c->cast_kind == CastKind::pts_to_pts_reset)) {
      return e;
    }
    e = c->operand;
  }
}

const Expr* pointer_compared(const BinaryExpr* comparison) {
  const Expr* a = strip_conversions(comparison->lhs);
  const Expr* c = strip_conversions(comparison->rhs);
  if (a->kind == ExprKind::mythread) std::swap(a, c);
  const auto* call = expr_cast<CallExpr>(a);
  if (c->kind != ExprKind::mythread || call == nullptr || call->direct == nullptr || call->args.size() != 1)
    return nullptr;
  if (call->direct->name->text != "upc_threadof") return nullptr;
  return strip_conversions(call->args[0]);
}

bool is_declared_array(const Expr* base) {
  const Expr* array = decayed_array(base);
  return array != nullptr && array->kind == ExprKind::decl_ref;
}

namespace {

// The pointer whose thread a condition requires to be MYTHREAD.
const Expr* tested_pointer(const Expr* condition) {
  const auto* b = expr_cast<BinaryExpr>(strip_parens(condition));
  if (b == nullptr) return nullptr;
  if (b->op == BinaryOp::logical_and) {
    const Expr* left = tested_pointer(b->lhs);
    return left != nullptr ? left : tested_pointer(b->rhs);
  }
  return b->op == BinaryOp::eq ? pointer_compared(b) : nullptr;
}

// What is not an array: the elements of an array may be on several threads.
bool is_one_element(const Expr* e) {
  const Size elements = TypeContext::element_count(e->type);
  return elements.value == 1 && !elements.times_threads;
}

// Element e of a declared cyclic array is where the integer e says, and of one in blocks of B where e / B does.
void locality_of_integer(LoopPlan& plan, const Expr* affinity) {
  const Expr* element = strip_conversions(plan.not_negative != nullptr ? plan.not_negative : affinity);
  for (PlannedAccess& access : plan.accesses) {
    const auto* s = expr_cast<SubscriptExpr>(access.lvalue);
    access.with_affinity = s != nullptr && access.motion.block == plan.affinity_block &&
                           access.motion.per_index == plan.affinity_per_index && is_declared_array(s->base) &&
                           is_one_element(s) && same_expression(strip_conversions(s->index), element);
  }
}

// Whether an expression has no effect and reads nothing but variables: it can be evaluated where the program does not.
bool reads_variables_only(const Expr* e) {
  bool only = !e->has_side_effects;
  Visitor visitor;
  visitor.expr = [&](const Expr* part) {
    const auto* c = expr_cast<CastExpr>(part);
    const auto* b = expr_cast<BinaryExpr>(part);
    switch (part->kind) {
      case ExprKind::cast:
        only = only && c->access == Access::none &&
               (c->cast_kind != CastKind::lvalue_to_rvalue || strip_parens(c->operand)->kind == ExprKind::decl_ref);
        break;
      case ExprKind::binary:
        only = only && (b->op == BinaryOp::add || b->op == BinaryOp::sub || b->op == BinaryOp::mul);
        break;
      case ExprKind::paren:
      case ExprKind::decl_ref:
      case ExprKind::int_literal:
      case ExprKind::mythread:
      case ExprKind::threads:
      case ExprKind::unary:
      case ExprKind::subscript:
        break;
      default:
        only = false;
    }
    return only;
  };
  walk(e, visitor);
  return only;
}

// Two pointers that move by as many elements of the same layout keep the distance between their threads and phases.
// Those of an indefinite layout stay on their thread.
void note_what_moves_alike(LoopPlan& plan, const LoopClauses& loop) {
  const bool by_pointer = loop.affinity_kind == AffinityKind::pointer_to_shared;
  const Expr* affinity = plan.not_negative != nullptr ? plan.not_negative : loop.affinity;
  const Expr* first = plan.shape.first;
  if (!reads_variables_only(affinity) || (first != nullptr && first->has_side_effects)) return;
  if (!by_pointer && plan.split == Split::one_thread) return;
  for (PlannedAccess& access : plan.accesses) {
    const bool is_element = access.lvalue->kind == ExprKind::subscript || access.lvalue->kind == ExprKind::unary;
    access.moves_with_affinity = !access.with_affinity && is_element && is_one_element(access.lvalue) &&
                                 access.motion.block == plan.affinity_block &&
                                 (access.motion.block == 0 || access.motion.per_index == plan.affinity_per_index) &&
                                 reads_variables_only(access.lvalue);
  }
}

void locality_of_pointer(LoopPlan& plan, const LoopClauses& clauses) {
  const Expr* affinity = clauses.affinity;
  // &x[e] or x + e, to be compared with x[e].
  const Expr* pointer = strip_conversions(affinity);
  const auto* address = expr_cast<UnaryExpr>(pointer);
  const auto* sum = expr_cast<BinaryExpr>(pointer);
  for (PlannedAccess& access : plan.accesses) {
    bool same = false;
    if (address != nullptr && address->op == UnaryOp::address_of)
      same = same_expression(address->operand, access.lvalue);
    const auto* s = expr_cast<SubscriptExpr>(access.lvalue);
    const auto* deref = expr_cast<UnaryExpr>(access.lvalue);
    if (deref != nullptr && deref->op == UnaryOp::deref && affinity->type.is_pointer_to_shared())
      same = same || same_expression(strip_conversions(deref->operand), pointer);
    if (sum != nullptr && s != nullptr && sum->op == BinaryOp::add && affinity->type.is_pointer_to_shared()) {
      same = same || (same_expression(sum->lhs, s->base) && same_expression(sum->rhs, s->index));
    }
    // Another declared array of the same layout with the same subscript starts on the same thread, too.
    const Expr* of = address != nullptr ? strip_parens(address->operand) : nullptr;
    const auto* a = expr_cast<SubscriptExpr>(of);
    if (!same && a != nullptr && s != nullptr && access.motion.block == plan.affinity_block &&
        access.motion.per_index == plan.affinity_per_index && same_expression(a->index, s->index) &&
        TypeContext::element_count(a->type) == TypeContext::element_count(s->type)) {
      same = is_declared_array(s->base) && is_declared_array(a->base);
    }
    access.with_affinity = same;
  }
}

void decide(LoopPlan& plan, const PlannedLoop& loop) {
  if (loop.clauses.affinity_kind == AffinityKind::integer)
    locality_of_integer(plan, loop.clauses.affinity);
  else
    locality_of_pointer(plan, loop.clauses);
  note_what_moves_alike(plan, loop.clauses);
}

}  // namespace

const Pass Pass::locality{
    .name = "locality", .help = "accesses known to be local become plain loads and stores", .locate = decide};

std::string LoopPlanner::obstacle_to_locality(const LoopClauses& loop, const Expr* place) const {
  const bool by_pointer = loop.affinity != nullptr && loop.affinity_kind == AffinityKind::pointer_to_shared;
  if (!by_pointer || !options_.on(Pass::locality)) return {};
  const auto* address = expr_cast<UnaryExpr>(strip_conversions(loop.affinity));
  if (address == nullptr || address->op != UnaryOp::address_of) return {};
  const auto* a = expr_cast<SubscriptExpr>(strip_parens(address->operand));
  const auto* s = expr_cast<SubscriptExpr>(place);
  if (a == nullptr || s == nullptr || !same_expression(a->index, s->index)) return {};
  if (a->type.block_size() != s->type.block_size()) return "its blocks are not those of the affinity's array";
  if (!is_declared_array(a->base)) return "the affinity's array may start on any thread, as it is not declared";
  if (!is_declared_array(s->base)) return "the array may start on any thread, as it is not declared";
  return {};
}

bool is_own_by_subscript(const Expr* place) {
  const auto* s = expr_cast<SubscriptExpr>(place);
  return s != nullptr && is_declared_array(s->base) && is_one_element(s) && s->type.block_size() == 1 &&
         strip_conversions(s->index)->kind == ExprKind::mythread;
}

const SubscriptExpr* own_row(const Expr* place) {
  const auto* s = expr_cast<SubscriptExpr>(place);
  const Expr* array = s == nullptr || s->type->is_array() ? nullptr : decayed_array(s->base);
  const auto* row = array == nullptr ? nullptr : expr_cast<SubscriptExpr>(array);
  if (row == nullptr || !is_declared_array(row->base) || row->type->variably_modified) return nullptr;
  const Size length = TypeContext::element_count(row->type);
  const bool is_block = !length.times_threads && static_cast<std::uint64_t>(length.value) == row->type.block_size();
  return is_block && strip_conversions(row->index)->kind == ExprKind::mythread ? row : nullptr;
}

std::vector<LoopPlanner::TestedAccess> LoopPlanner::local_after_test(const Expr* condition, const Stmt* then) {
  std::vector<TestedAccess> out;
  if (!options_.on(Pass::locality)) return out;
  const Expr* pointer = tested_pointer(condition);
  if (pointer == nullptr || pointer->has_side_effects) return out;
  // The pointer must be the one that was tested wherever it is used: neither the rest of the condition nor the branch
  // changes it, and there is no way into the branch but through the test. What another thread may write is not the same
  // if it is read again.
  Effects effects(context_, address_taken_);
  effects.add(condition);
  effects.add(then);
  const auto* address = expr_cast<UnaryExpr>(pointer);
  const bool place = address != nullptr && address->op == UnaryOp::address_of;
  if (effects.entered() || !(place ? effects.same_place(address->operand) : effects.same_value(pointer))) return out;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    if (!e->is_shared_lvalue() || e->is_bitfield) return true;
    const auto* subscript = expr_cast<SubscriptExpr>(e);
    if (place && subscript != nullptr && is_one_element(e) && same_expression(e, address->operand))
      out.push_back({e, pointer});
    const auto* u = expr_cast<UnaryExpr>(e);
    if (u != nullptr && u->op == UnaryOp::deref && is_one_element(e) &&
        same_expression(strip_conversions(u->operand), pointer)) {
      out.push_back({e, u->operand});
    }
    const auto* m = expr_cast<MemberExpr>(e);
    if (m != nullptr && m->arrow && same_expression(strip_conversions(m->base), pointer)) out.push_back({e, m->base});
    return true;
  };
  walk(then, visitor);
  return out;
}

}  // namespace upcc
