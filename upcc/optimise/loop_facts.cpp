#include <algorithm>

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

// A variable, or a member of one.
bool is_variable(const Expr* e) {
  e = strip_parens(e);
  if (e->is_shared_lvalue()) return false;
  const auto* m = expr_cast<MemberExpr>(e);
  return e->kind == ExprKind::decl_ref || (m != nullptr && !m->arrow && is_variable(m->base));
}

// Of a pointer that nothing can be written through: to constant scalars (a format string), or to shared memory, where
// no private variable lies.
bool only_reads(QualType pointer) {
  const QualType pointee = static_cast<const PointerType*>(pointer.type)->pointee;
  return pointee.is_shared() || (pointee.is_const() && (pointee->is_arithmetic() || pointee->is_void()));
}

// A function of some library changes no variable of the program unless it is given a pointer: then it may at once,
// later (a receive that is waited for), or by calling back. Functions of the UPC library complete transfers begun
// before.
bool may_change_variables(const CallExpr* call) {
  const FunctionDecl* f = call->direct;
  if (f == nullptr || !(f->is_builtin || f->in_system_header)) return true;
  const std::string_view name = f->name->text;
  const bool asks_pointer = name.ends_with("_threadof") || name.ends_with("_phaseof") || name.ends_with("_addrfield") ||
                            name.ends_with("_resetphase") || name.ends_with("_affinitysize");
  if ((name.starts_with("upc") || name.starts_with("bupc")) && !asks_pointer) return true;
  return std::any_of(call->args.begin(), call->args.end(), [](const Expr* arg) {
    return arg->type->is_record() || (arg->type->is_pointer() && !only_reads(arg->type));
  });
}

TypeKind without_sign(const Type* type) {
  switch (type->kind) {
    case TypeKind::ushort:
      return TypeKind::short_;
    case TypeKind::uint:
      return TypeKind::int_;
    case TypeKind::ulong:
    case TypeKind::longlong:
    case TypeKind::ulonglong:
      return TypeKind::long_;
    default:
      return type->kind;
  }
}

// Whether a store of one type can change an object of the other (C11 6.5p7): scalars only those of their own kind, what
// is no scalar anything it may contain.
bool may_alias(const Type* stored, const Type* object) {
  const auto distinct = [](const Type* type) {
    return type->is_scalar() && type->kind > TypeKind::uchar && !type->is_complex() && !type->is_enum();
  };
  return !distinct(stored) || !distinct(object) || without_sign(stored) == without_sign(object);
}

bool any_may_alias(const std::unordered_set<const Type*>& stored, const Type* object) {
  return std::any_of(stored.begin(), stored.end(), [&](const Type* type) { return may_alias(type, object); });
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
    if (lvalue->is_shared_lvalue()) {
      facts.shared_stored_types.insert(lvalue->type.type);
      return;
    }
    if (const Decl* decl = object_of(lvalue))
      facts.modified.insert(decl);
    else
      facts.stored_types.insert(lvalue->type.type);
  };
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    facts.strict = facts.strict || e->access == Access::strict;
    if (const auto* a = expr_cast<AssignExpr>(e)) stored(a->lhs);
    if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && is_update(u)) stored(u->operand);
    if (const auto* c = expr_cast<CallExpr>(e); c != nullptr && may_change_variables(c)) facts.calls = true;
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
  return !facts.calls && !any_may_alias(facts.stored_types, decl->type.type);
}

// Whether the lvalue designates the same place in every iteration.
bool LoopPlanner::invariant_place(const Expr* e, const LoopFacts& facts, bool* loads) const {
  e = strip_parens(e);
  switch (e->kind) {
    case ExprKind::decl_ref:
      return !facts.modified.contains(static_cast<const DeclRef*>(e)->decl) || e->type->is_array();
    case ExprKind::subscript: {
      const auto* s = static_cast<const SubscriptExpr*>(e);
      if (s->base->type->is_vector()) return false;
      const auto* decay = expr_cast<CastExpr>(strip_parens(s->base));
      const bool array = decay != nullptr && decay->cast_kind == CastKind::array_to_pointer;
      return (array ? invariant_place(decay->operand, facts, loads) : invariant(s->base, facts, loads)) &&
             invariant(s->index, facts, loads);
    }
    case ExprKind::unary:
      return static_cast<const UnaryExpr*>(e)->op == UnaryOp::deref &&
             invariant(static_cast<const UnaryExpr*>(e)->operand, facts, loads);
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      return !e->is_bitfield && (m->arrow ? invariant(m->base, facts, loads) : invariant_place(m->base, facts, loads));
    }
    default:
      return false;
  }
}

// A value in memory that the loop does not change: dir[t], node->next.
bool LoopPlanner::invariant_load(const CastExpr* load, const LoopFacts& facts, bool* loads) const {
  const Expr* place = strip_parens(load->operand);
  const Type* type = load->type.type;
  if (loads == nullptr || facts.calls || place->type.is_volatile() || place->type.quals.has(Quals::kAtomic))
    return false;
  if (load->access == Access::strict || (load->access == Access::relaxed && facts.strict)) return false;
  const Decl* object = object_of(place);
  if (object != nullptr && facts.modified.contains(object)) return false;
  if (any_may_alias(facts.stored_types, type) || any_may_alias(facts.shared_stored_types, type)) return false;
  if (!invariant_place(place, facts, loads)) return false;
  *loads = true;
  return true;
}

// Same value in every iteration, and safe to compute even if the loop would not have: no division by something unknown.
// A load through a pointer or of an array's element is allowed, and reported, when the caller gives `loads`.
bool LoopPlanner::invariant(const Expr* e, const LoopFacts& facts, bool* loads) const {
  switch (e->kind) {
    case ExprKind::int_literal:
    case ExprKind::float_literal:
    case ExprKind::mythread:
    case ExprKind::threads:
      return true;
    case ExprKind::sizeof_:
      return !static_cast<const SizeofExpr*>(e)->variable;
    case ExprKind::paren:
      return invariant(static_cast<const ParenExpr*>(e)->inner, facts, loads);
    case ExprKind::decl_ref: {
      const Decl* decl = static_cast<const DeclRef*>(e)->decl;
      return !decl->type.is_volatile() && invariant_variable(decl, facts);
    }
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (is_update(u) || u->op == UnaryOp::deref || u->op == UnaryOp::address_of) return false;
      return invariant(u->operand, facts, loads);
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (b->op == BinaryOp::comma) return false;
      Int128 divisor = 0;
      if ((b->op == BinaryOp::div || b->op == BinaryOp::rem) && strip_parens(b->rhs)->kind != ExprKind::threads &&
          (!constants_.integer(b->rhs, divisor) || divisor == 0)) {
        return false;
      }
      return invariant(b->lhs, facts, loads) && invariant(b->rhs, facts, loads);
    }
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      return !m->arrow && !m->base->is_shared_lvalue() && invariant(m->base, facts, loads);
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->cast_kind == CastKind::pts_to_local) return false;
      const Expr* operand = strip_parens(c->operand);
      if (c->cast_kind == CastKind::lvalue_to_rvalue && !is_variable(operand)) return invariant_load(c, facts, loads);
      if (c->access != Access::none) return false;
      if (c->cast_kind == CastKind::array_to_pointer && c->operand->is_shared_lvalue()) return false;
      return invariant(c->operand, facts, loads);
    }
    default:
      return false;
  }
}

}  // namespace upcc
