#include <cstdlib>

#include "optimise/loop_plan.hpp"

// How expressions depend on the loop index: value = coefficient * index + something that does not change.
//
// The numbers here are those of mathematics. A signed expression has its value, or the program has none. An unsigned
// one may wrap around, as `a[i - 1u]` does at i = 0. What wraps in the middle of a loop does not move evenly there. But
// if every iteration uses an address, and steps are small, then two subscripts that follow each other are both inside
// the array, and so as far apart as they should be.

namespace upcc {

namespace {

QualType pointee_of(QualType pointer) { return static_cast<const PointerType*>(pointer.type)->pointee; }

// Numbers that can be multiplied and added a few times more.
std::optional<std::int64_t> small(Int128 n) {
  constexpr Int128 kLimit = Int128{1} << 40;
  return n < kLimit && n > -kLimit ? std::optional(static_cast<std::int64_t>(n)) : std::nullopt;
}

}  // namespace

// Notes that e, which is `coefficient` times the index plus something, may wrap around. False if nothing is known of it
// then. 64 bits wrap as addresses do.
bool LoopPlanner::may_wrap(const Expr* e, std::int64_t coefficient, const Context& loop) const {
  constexpr std::int64_t kSmallStep = 1 << 20;
  const bool arithmetic = e->kind != ExprKind::cast;
  if (coefficient == 0 || (arithmetic && TypeContext::is_signed(e->type.type))) return true;
  loop.only_if_no_wrap = true;
  if (types_.integer_bits(e->type.type) == 64) return true;
  loop.only_if_certain = true;
  const auto moved = small(Int128{coefficient} * loop.shape.step);
  return moved && std::abs(*moved) < kSmallStep && (loop.shape.stride == nullptr || loop.shape.stride_is_threads);
}

std::optional<std::int64_t> LoopPlanner::coefficient(const Expr* e, const Context& loop) const {
  if (loop.effects.same_value(e, &loop.only_if_certain)) return 0;
  switch (e->kind) {
    case ExprKind::paren:
      return coefficient(static_cast<const ParenExpr*>(e)->inner, loop);
    case ExprKind::decl_ref:
      if (static_cast<const DeclRef*>(e)->decl == loop.shape.index) return 1;
      if (const SecondIndex* second = loop.shape.second(static_cast<const DeclRef*>(e)->decl)) {
        // Its first value in a run is computed; where that is not used, it may be none.
        loop.only_if_certain = loop.only_if_certain || types_.integer_bits(e->type.type) < 64;
        loop.only_if_no_wrap = loop.only_if_no_wrap || !TypeContext::is_signed(e->type.type);
        return loop.shape.per_index(*second);
      }
      return std::nullopt;
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (u->op != UnaryOp::plus && u->op != UnaryOp::minus && u->op != UnaryOp::extension) return std::nullopt;
      const auto inner = coefficient(u->operand, loop);
      if (!inner || u->op != UnaryOp::minus) return inner;
      return may_wrap(e, *inner, loop) ? std::optional(-*inner) : std::nullopt;
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (!e->type->is_integer()) return std::nullopt;
      if (b->op == BinaryOp::mul) {
        Int128 factor = 0;
        const bool right = context_.constants.integer(b->rhs, factor);
        if (!right && !context_.constants.integer(b->lhs, factor)) return std::nullopt;
        const auto inner = coefficient(right ? b->lhs : b->rhs, loop);
        if (!inner || !small(factor)) return std::nullopt;
        const auto out = small(*inner * factor);
        const bool up = factor >= 0 && types_.integer_bits(e->type.type) == 64;
        return out && (up || may_wrap(e, *out, loop)) ? out : std::nullopt;
      }
      if (b->op != BinaryOp::add && b->op != BinaryOp::sub) return std::nullopt;
      const auto lhs = coefficient(b->lhs, loop);
      const auto rhs = coefficient(b->rhs, loop);
      if (!lhs || !rhs) return std::nullopt;
      Int128 added = -1;
      const bool up = b->op == BinaryOp::add && context_.constants.integer(*lhs == 0 ? b->lhs : b->rhs, added) &&
                      added >= 0 && small(added) && types_.integer_bits(e->type.type) == 64;
      const auto out = small(b->op == BinaryOp::add ? Int128{*lhs} + *rhs : Int128{*lhs} - *rhs);
      if (!out || *out == 0) return *lhs == 0 ? out : std::nullopt;
      return up || may_wrap(e, *out, loop) ? out : std::nullopt;
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->access != Access::none) return std::nullopt;
      if (c->cast_kind == CastKind::lvalue_to_rvalue || c->cast_kind == CastKind::noop)
        return coefficient(c->operand, loop);
      if (c->cast_kind != CastKind::integral) return std::nullopt;
      const Type* from = c->operand->type.type;
      if (types_.integer_bits(c->type.type) < types_.integer_bits(from)) return std::nullopt;
      const auto inner = coefficient(c->operand, loop);
      if (TypeContext::is_signed(from) != TypeContext::is_signed(c->type.type) &&
          (TypeContext::is_signed(from) || types_.integer_bits(c->type.type) == types_.integer_bits(from))) {
        return inner && may_wrap(e, *inner, loop) ? inner : std::nullopt;
      }
      return inner;
    }
    default:
      return std::nullopt;
  }
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
      const auto by = coefficient(pointer_first ? b->rhs : b->lhs, loop);
      const Size count = TypeContext::element_count(pointee);
      const bool constant = !pointee->variably_modified && !count.times_threads;
      if (!base || !by || (*by != 0 && !constant)) return std::nullopt;
      const Int128 delta = Int128{*by} * count.value;
      const auto moved = small(base->per_index + (b->op == BinaryOp::add ? delta : -delta));
      return moved ? std::optional(layout(pointee, *moved)) : std::nullopt;
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
  const auto* load = expr_cast<CastExpr>(e);
  const auto* variable = load == nullptr ? nullptr : expr_cast<DeclRef>(strip_parens(load->operand));
  if (const SecondIndex* second = variable == nullptr ? nullptr : loop.shape.second(variable->decl)) {
    const auto per_index = loop.shape.per_index(*second);
    const auto moved = per_index ? small(Int128{*per_index} * TypeContext::element_count(pointee).value) : per_index;
    return moved ? std::optional(layout(pointee, *moved)) : std::nullopt;
  }
  if (!loop.effects.same_value(e, &loop.only_if_certain)) return std::nullopt;
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
      const auto by = coefficient(s->index, loop);
      const Size count = TypeContext::element_count(e->type);
      const bool constant = !e->type->variably_modified && !count.times_threads;
      if (!base || !by || (*by != 0 && !constant)) return std::nullopt;
      const auto moved = small(base->per_index + Int128{*by} * count.value);
      return moved ? std::optional(layout(e->type, *moved)) : std::nullopt;
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

std::optional<Motion> LoopPlanner::place_motion(const Expr* place, const Context& loop, bool& of_record) const {
  const auto* m = expr_cast<MemberExpr>(place);
  const auto record = m != nullptr && m->arrow ? pointer_motion(m->base, loop) : std::nullopt;
  of_record = record && record->per_index != 0;
  return of_record ? record : lvalue_motion(place, loop);
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
