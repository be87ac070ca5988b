#include "optimise/loop_plan.hpp"
#include "optimise/walk.hpp"

// What changes in a loop, and so what does not.

namespace upcc {

const Expr* strip_parens(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e))
      e = p->inner;
    else if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && u->op == UnaryOp::extension)
      e = u->operand;
    else
      return e;
  }
}

namespace {

const Decl* named(const Expr* e) {
  const auto* ref = expr_cast<DeclRef>(strip_parens(e));
  return ref == nullptr ? nullptr : ref->decl;
}

// The variable that an lvalue is (part of), if it is reached without a pointer.
const Decl* object_of(const Expr* e) {
  for (e = strip_parens(e);;) {
    if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && !m->arrow) {
      e = strip_parens(m->base);
    } else if (const auto* s = expr_cast<SubscriptExpr>(e)) {
      const auto* decay = expr_cast<CastExpr>(strip_parens(s->base));
      if (decay == nullptr || decay->cast_kind != CastKind::array_to_pointer) return nullptr;
      e = strip_parens(decay->operand);
    } else {
      return named(e);
    }
  }
}

bool is_update(const UnaryExpr* u) { return u->op >= UnaryOp::pre_inc && u->op <= UnaryOp::post_dec; }

bool is_library(const CallExpr* call) {
  return call->direct != nullptr && (call->direct->is_builtin || call->direct->in_system_header);
}

}  // namespace

void LoopPlanner::enter(const FunctionDecl* function) {
  address_taken_.clear();
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* u = expr_cast<UnaryExpr>(e);
    if (u != nullptr && u->op == UnaryOp::address_of) {
      if (const Decl* decl = object_of(u->operand)) address_taken_.insert(decl);
    }
    return true;
  };
  visitor.stmt = [&](const Stmt* s) {
    if (const auto* a = stmt_cast<AsmStmt>(s)) {
      for (const AsmOperand& operand : a->operands) {
        if (const Decl* decl = object_of(operand.expr)) address_taken_.insert(decl);
      }
    }
    return true;
  };
  walk(function->body, visitor);
}

LoopFacts LoopPlanner::facts_of(const Stmt* body, const Expr* condition, const Expr* step) const {
  LoopFacts facts;
  facts.address_taken = address_taken_;
  const auto stored = [&](const Expr* lvalue) {
    if (lvalue->is_shared_lvalue()) return;
    if (const Decl* decl = object_of(lvalue))
      facts.modified.insert(decl);
    else
      facts.stored_types.insert(lvalue->type.type);
  };
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    if (const auto* a = expr_cast<AssignExpr>(e)) stored(a->lhs);
    if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && is_update(u)) stored(u->operand);
    if (const auto* c = expr_cast<CallExpr>(e); c != nullptr && !is_library(c)) facts.calls = true;
    if (e->kind == ExprKind::label_address) facts.cannot_copy = true;
    return true;
  };
  visitor.stmt = [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::label:
      case StmtKind::goto_:
      case StmtKind::computed_goto:
        facts.cannot_copy = true;
        break;
      case StmtKind::asm_:
        facts.cannot_copy = true;  // may define labels or write anything
        break;
      case StmtKind::upc_sync:
        facts.calls = true;
        break;
      default:
        break;
    }
    return true;
  };
  visitor.variable = [&](const VarDecl* var) {
    facts.modified.insert(var);
    if (var->duration != StorageDuration::automatic) facts.cannot_copy = true;
  };
  walk(body, visitor);
  walk(condition, visitor);
  walk(step, visitor);
  // A break that belongs to this loop: not inside an inner loop or switch.
  Visitor breaks;
  breaks.stmt = [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::for_:
      case StmtKind::while_:
      case StmtKind::do_:
      case StmtKind::upc_forall:
      case StmtKind::switch_:
        return false;
      case StmtKind::break_:
        facts.leaves = true;
        return false;
      default:
        return true;
    }
  };
  walk(body, breaks);
  return facts;
}

bool LoopPlanner::invariant_variable(const Decl* decl, const LoopFacts& facts) const {
  if (decl->kind == DeclKind::enum_constant || decl->kind == DeclKind::function) return true;
  if (facts.modified.contains(decl)) return false;
  const auto* var = decl_cast<VarDecl>(decl);
  const bool is_static = var != nullptr && var->duration != StorageDuration::automatic;
  if (!is_static && !facts.address_taken.contains(decl)) return true;
  if (decl->type.is_volatile()) return false;
  if (decl->type.is_const()) return true;
  return !facts.calls && !facts.stored_types.contains(decl->type.type);
}

// Same value in every iteration, and safe to compute even if the loop would not have: no division by something unknown,
// no load through a pointer.
bool LoopPlanner::invariant(const Expr* e, const LoopFacts& facts) const {
  switch (e->kind) {
    case ExprKind::int_literal:
    case ExprKind::float_literal:
    case ExprKind::mythread:
    case ExprKind::threads:
      return true;
    case ExprKind::sizeof_:
      return !static_cast<const SizeofExpr*>(e)->variable;
    case ExprKind::paren:
      return invariant(static_cast<const ParenExpr*>(e)->inner, facts);
    case ExprKind::decl_ref: {
      const Decl* decl = static_cast<const DeclRef*>(e)->decl;
      return !decl->type.is_volatile() && invariant_variable(decl, facts);
    }
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (is_update(u) || u->op == UnaryOp::deref || u->op == UnaryOp::address_of) return false;
      return invariant(u->operand, facts);
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (b->op == BinaryOp::comma) return false;
      Int128 divisor = 0;
      if ((b->op == BinaryOp::div || b->op == BinaryOp::rem) && strip_parens(b->rhs)->kind != ExprKind::threads &&
          (!constants_.integer(b->rhs, divisor) || divisor == 0)) {
        return false;
      }
      return invariant(b->lhs, facts) && invariant(b->rhs, facts);
    }
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      return !m->arrow && !m->base->is_shared_lvalue() && invariant(m->base, facts);
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->access != Access::none || c->cast_kind == CastKind::pts_to_local) return false;
      if (c->cast_kind == CastKind::array_to_pointer && c->operand->is_shared_lvalue()) return false;
      return invariant(c->operand, facts);
    }
    default:
      return false;
  }
}

}  // namespace upcc
