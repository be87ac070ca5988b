#include "optimise/loop_plan.hpp"

// How expressions depend on the loop index: value = coefficient * index + something that does not change.

namespace upcc {

namespace {

QualType pointee_of(QualType pointer) { return static_cast<const PointerType*>(pointer.type)->pointee; }

}  // namespace

std::optional<std::int64_t> LoopPlanner::coefficient(const Expr* e, const Context& loop) const {
  if (invariant(e, loop.facts, &loop.only_if_certain)) return 0;
  switch (e->kind) {
    case ExprKind::paren:
      return coefficient(static_cast<const ParenExpr*>(e)->inner, loop);
    case ExprKind::decl_ref:
      if (static_cast<const DeclRef*>(e)->decl == loop.shape.index) return 1;
      return std::nullopt;
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (u->op != UnaryOp::plus && u->op != UnaryOp::minus && u->op != UnaryOp::extension) return std::nullopt;
      const auto inner = coefficient(u->operand, loop);
      return inner && u->op == UnaryOp::minus ? std::optional(-*inner) : inner;
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (!e->type->is_integer()) return std::nullopt;
      if (b->op == BinaryOp::mul) {
        Int128 factor = 0;
        const bool right = constants_.integer(b->rhs, factor);
        if (!right && !constants_.integer(b->lhs, factor)) return std::nullopt;
        const auto inner = coefficient(right ? b->lhs : b->rhs, loop);
        if (!inner || factor > (1 << 30) || factor < -(1 << 30)) return std::nullopt;
        return *inner * static_cast<std::int64_t>(factor);
      }
      if (b->op != BinaryOp::add && b->op != BinaryOp::sub) return std::nullopt;
      const auto lhs = coefficient(b->lhs, loop);
      const auto rhs = coefficient(b->rhs, loop);
      if (!lhs || !rhs) return std::nullopt;
      return b->op == BinaryOp::add ? *lhs + *rhs : *lhs - *rhs;
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->access != Access::none) return std::nullopt;
      if (c->cast_kind == CastKind::lvalue_to_rvalue || c->cast_kind == CastKind::noop)
        return coefficient(c->operand, loop);
      if (c->cast_kind != CastKind::integral) return std::nullopt;
      if (types_.integer_bits(c->type.type) < types_.integer_bits(c->operand->type.type)) return std::nullopt;
      return coefficient(c->operand, loop);
    }
    default:
      return std::nullopt;
  }
}

// Of a subscript. Unsigned arithmetic may wrap before it is widened (`a[i - 1]` at i = 0), in iterations that a program
// takes care not to use it in.
std::optional<std::int64_t> LoopPlanner::steps(const Expr* index, const Context& loop) const {
  const auto out = coefficient(index, loop);
  const bool narrow = !TypeContext::is_signed(index->type.type) && types_.integer_bits(index->type.type) < 64;
  const auto* value = expr_cast<CastExpr>(strip_parens(index));
  const bool plain = value != nullptr && strip_parens(value->operand)->kind == ExprKind::decl_ref;
  if (out && *out != 0 && narrow && !plain) loop.only_if_certain = true;
  return out;
}

Motion LoopPlanner::layout(QualType pointee, std::int64_t per_index) const {
  const QualType element = pointee.ultimate();
  const bool sized = !element->is_void() && TypeContext::is_complete(element);
  return {per_index, element.quals.block_size(), sized ? static_cast<std::uint64_t>(types_.size_of(element).value) : 1};
}

std::optional<Motion> LoopPlanner::pointer_motion(const Expr* e, const Context& loop) const {
  const QualType pointee = pointee_of(e->type);
  switch (e->kind) {
    case ExprKind::paren:
      return pointer_motion(static_cast<const ParenExpr*>(e)->inner, loop);
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (u->op == UnaryOp::address_of && u->operand->is_shared_lvalue()) return lvalue_motion(u->operand, loop);
      return std::nullopt;
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (b->op != BinaryOp::add && b->op != BinaryOp::sub) return std::nullopt;
      const bool pointer_first = b->lhs->type.is_pointer_to_shared();
      const auto base = pointer_motion(pointer_first ? b->lhs : b->rhs, loop);
      const auto by = steps(pointer_first ? b->rhs : b->lhs, loop);
      const Size count = TypeContext::element_count(pointee);
      const bool constant = !pointee->variably_modified && !count.times_threads;
      if (!base || !by || (*by != 0 && !constant)) return std::nullopt;
      const std::int64_t delta = *by * count.value;
      return layout(pointee, base->per_index + (b->op == BinaryOp::add ? delta : -delta));
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->cast_kind == CastKind::array_to_pointer && c->operand->is_shared_lvalue())
        return lvalue_motion(c->operand, loop);
      if (c->cast_kind == CastKind::lvalue_to_rvalue) break;
      if (!c->operand->type.is_pointer_to_shared()) return std::nullopt;
      const auto inner = pointer_motion(c->operand, loop);
      if (!inner) return std::nullopt;
      const Motion here = layout(pointee, inner->per_index);
      if (inner->per_index == 0) return here;
      const bool kept = c->cast_kind == CastKind::pts_to_pts_keep || c->cast_kind == CastKind::noop;
      const Motion from = layout(pointee_of(c->operand->type), 0);
      if (!kept || from.block != here.block || from.element_size != here.element_size) return std::nullopt;
      return here;
    }
    default:
      break;
  }
  if (!invariant(e, loop.facts, &loop.only_if_certain)) return std::nullopt;
  return layout(pointee, 0);
}

std::optional<Motion> LoopPlanner::lvalue_motion(const Expr* e, const Context& loop) const {
  e = strip_parens(e);
  switch (e->kind) {
    case ExprKind::decl_ref:
      return layout(e->type, 0);
    case ExprKind::unary:
      if (static_cast<const UnaryExpr*>(e)->op != UnaryOp::deref) return std::nullopt;
      return pointer_motion(static_cast<const UnaryExpr*>(e)->operand, loop);
    case ExprKind::subscript: {
      const auto* s = static_cast<const SubscriptExpr*>(e);
      if (s->base->type->is_vector()) return std::nullopt;
      const auto base = pointer_motion(s->base, loop);
      const auto by = steps(s->index, loop);
      const Size count = TypeContext::element_count(e->type);
      const bool constant = !e->type->variably_modified && !count.times_threads;
      if (!base || !by || (*by != 0 && !constant)) return std::nullopt;
      return layout(e->type, base->per_index + *by * count.value);
    }
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      const auto base = m->arrow ? pointer_motion(m->base, loop) : lvalue_motion(m->base, loop);
      // A member of something that moves is reached through that something (see collect).
      if (!base || base->per_index != 0) return std::nullopt;
      return layout(e->type, 0);
    }
    default:
      return std::nullopt;
  }
}

bool same_expression(const Expr* a, const Expr* b) {
  a = strip_parens(a);
  b = strip_parens(b);
  if (a->kind != b->kind || a->type.type != b->type.type || a->has_side_effects || b->has_side_effects) return false;
  switch (a->kind) {
    case ExprKind::int_literal:
      return static_cast<const IntLiteral*>(a)->value == static_cast<const IntLiteral*>(b)->value;
    case ExprKind::mythread:
    case ExprKind::threads:
      return true;
    case ExprKind::decl_ref:
      return static_cast<const DeclRef*>(a)->decl == static_cast<const DeclRef*>(b)->decl;
    case ExprKind::unary:
      return static_cast<const UnaryExpr*>(a)->op == static_cast<const UnaryExpr*>(b)->op &&
             same_expression(static_cast<const UnaryExpr*>(a)->operand, static_cast<const UnaryExpr*>(b)->operand);
    case ExprKind::binary:
      return static_cast<const BinaryExpr*>(a)->op == static_cast<const BinaryExpr*>(b)->op &&
             same_expression(static_cast<const BinaryExpr*>(a)->lhs, static_cast<const BinaryExpr*>(b)->lhs) &&
             same_expression(static_cast<const BinaryExpr*>(a)->rhs, static_cast<const BinaryExpr*>(b)->rhs);
    case ExprKind::cast:
      return static_cast<const CastExpr*>(a)->cast_kind == static_cast<const CastExpr*>(b)->cast_kind &&
             same_expression(static_cast<const CastExpr*>(a)->operand, static_cast<const CastExpr*>(b)->operand);
    case ExprKind::subscript:
      return same_expression(static_cast<const SubscriptExpr*>(a)->base, static_cast<const SubscriptExpr*>(b)->base) &&
             same_expression(static_cast<const SubscriptExpr*>(a)->index, static_cast<const SubscriptExpr*>(b)->index);
    case ExprKind::member:
      return static_cast<const MemberExpr*>(a)->field == static_cast<const MemberExpr*>(b)->field &&
             same_expression(static_cast<const MemberExpr*>(a)->base, static_cast<const MemberExpr*>(b)->base);
    default:
      return false;
  }
}

}  // namespace upcc
