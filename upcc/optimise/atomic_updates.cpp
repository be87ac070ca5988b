#include <algorithm>
#include <array>
#include <unordered_set>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Pass updates, too: upc_atomic_relaxed(domain, NULL, op, &H[e], &v, NULL). The runtime adds up what a loop does to one
// object and sends the rest to its owner with others; all is in place when the loop ends (weft/upcrt/update.h). Right
// if
//   - nobody wants the value before, and the operation is one that can be added up or sent;
//   - the loop ends by itself, and nothing else in it orders accesses or may wait for another thread;
//   - nothing else in it accesses the objects. This thread's own and other mapped memory can be reached through private
//     pointers, so such updates wait only where the loop follows none.

namespace upcc {

namespace {

bool is_null(const Expr* e) {
  const auto* c = expr_cast<CastExpr>(strip_parens(e));
  return c != nullptr && (c->cast_kind == CastKind::null_to_pointer || is_null(c->operand));
}

// &object: its lvalue, else null.
const Expr* named_by(const Expr* pointer) {
  const Expr* e = strip_parens(pointer);
  while (const auto* c = expr_cast<CastExpr>(e)) e = strip_parens(c->operand);
  const auto* u = expr_cast<UnaryExpr>(e);
  return u != nullptr && u->op == UnaryOp::address_of ? u->operand : nullptr;
}

bool is_atomic_update(const CallExpr* call, const ConstEvaluator& constants) {
  if (call == nullptr || call->direct == nullptr || call->args.size() != 6) return false;
  const bool library = call->direct->is_builtin || call->direct->in_system_header;
  return library && call->direct->name->text == "upc_atomic_relaxed" && is_null(call->args[1]) &&
         is_null(call->args[5]) && atomic_update_op(call, constants) != nullptr;
}

// Whether private memory that an lvalue designates is (part of) a variable, not what a pointer points to.
bool is_in_variable(const Expr* lvalue) {
  for (const Expr* e = strip_parens(lvalue);;) {
    const auto* m = expr_cast<MemberExpr>(e);
    const auto* s = expr_cast<SubscriptExpr>(e);
    const Expr* array = s == nullptr ? nullptr : decayed_array(s->base);
    if (m != nullptr && !m->arrow)
      e = strip_parens(m->base);
    else if (array != nullptr)
      e = array;
    else
      return e->kind == ExprKind::decl_ref;
  }
}

// Whether a loop has nothing that might follow a private pointer: no such access, and no call but the updates.
bool follows_no_pointer(const Stmt* loop, const std::vector<const CallExpr*>& updates) {
  bool none = true;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* c = expr_cast<CastExpr>(e);
    const auto* a = expr_cast<AssignExpr>(e);
    const auto* u = expr_cast<UnaryExpr>(e);
    const auto* call = expr_cast<CallExpr>(e);
    const Expr* accessed = c != nullptr && c->cast_kind == CastKind::lvalue_to_rvalue                ? c->operand
                           : a != nullptr                                                            ? a->lhs
                           : u != nullptr && u->op >= UnaryOp::pre_inc && u->op <= UnaryOp::post_dec ? u->operand
                                                                                                     : nullptr;
    if (accessed != nullptr && !accessed->is_shared_lvalue()) none = none && is_in_variable(accessed);
    if (call == nullptr) return none;
    const bool is_update = std::find(updates.begin(), updates.end(), call) != updates.end();
    const Expr* operand = is_update ? named_by(call->args[4]) : nullptr;
    none = none && is_update && (is_null(call->args[4]) || (operand != nullptr && is_in_variable(operand)));
    return none;
  };
  walk(loop, visitor);
  return none;
}

// Whether a subscript is of one array or pointer all the time.
bool base_stays(const SubscriptExpr* s, const Effects& effects) {
  const Expr* array = decayed_array(s->base);
  return array != nullptr ? effects.same_place(array) : effects.same_value(s->base);
}

}  // namespace

const char* atomic_update_op(const CallExpr* call, const ConstEvaluator& constants) {
  struct Named {
    int value;  // of UPC_ADD, UPC_AND, UPC_OR, UPC_XOR, UPC_SUB, UPC_INC, UPC_DEC
    const char* name;
  };
  constexpr std::array kOps{Named{0x1, "UPCR_UPDATE_ADD"},    Named{0x4, "UPCR_UPDATE_AND"},
                            Named{0x8, "UPCR_UPDATE_OR"},     Named{0x10, "UPCR_UPDATE_XOR"},
                            Named{0x4000, "UPCR_UPDATE_SUB"}, Named{0x8000, "UPCR_UPDATE_INC"},
                            Named{0x10000, "UPCR_UPDATE_DEC"}};
  Int128 op = 0;
  if (!constants.integer(call->args[2], op)) return nullptr;
  const auto* found = std::find_if(kOps.begin(), kOps.end(), [&](const Named& one) { return one.value == op; });
  return found == kOps.end() ? nullptr : found->name;
}

AtomicUpdates LoopPlanner::atomic_updates(const Stmt* loop) const {
  AtomicUpdates found;
  if (!options_.on(Pass::updates) || options_.shadow) return found;
  Effects rest(context_, address_taken_);
  std::unordered_set<const Expr*> statements;
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    const auto* statement = stmt_cast<ExprStmt>(s);
    if (statement != nullptr && statement->expr != nullptr) statements.insert(strip_parens(statement->expr));
    return true;
  };
  visitor.expr = [&](const Expr* e) {
    const auto* call = expr_cast<CallExpr>(e);
    if (!statements.contains(e) || !is_atomic_update(call, context_.constants)) return true;
    found.calls.push_back(call);
    rest.leave_out(call);
    return true;
  };
  walk(loop, visitor);
  if (found.calls.empty()) return {};
  rest.add(loop);
  if (bound_of(loop) != Bound::complete || !rest.lets_accesses_move() || loop_that_may_wait(loop) != nullptr) return {};
  for (const PerformedAccess& other : shared_accesses(loop)) {
    for (const CallExpr* call : found.calls) {
      const Expr* target = named_by(call->args[3]);
      if (target == nullptr || may_be_one_object(other.lvalue, target)) return {};
    }
  }
  found.apart = follows_no_pointer(loop, found.calls);
  const CallExpr* call = found.calls.front();
  const auto* target = expr_cast<SubscriptExpr>(strip_parens(named_by(call->args[3])));
  const bool alone = found.calls.size() == 1 && found.apart;
  if (alone && target != nullptr && base_stays(target, rest) && rest.same_value(call->args[0])) found.by_index = target;
  return found;
}

}  // namespace upcc
