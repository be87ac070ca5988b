#include "sema/compat.hpp"
#include "sema/sema.hpp"

// Binary operators, assignment and the conditional operator (C11 6.5.5 to 6.5.17, UPC 6.4.2).

namespace upcc {

namespace {
constexpr const char* cast_one = "; cast one to the type of the other";
}

Expr* Sema::make_binary(BinaryOp op, Expr* a, Expr* b, QualType type, Loc loc) {
  auto* e = make<BinaryExpr>(loc, type);
  e->op = op;
  e->lhs = a;
  e->rhs = b;
  adopt(e, a);
  adopt(e, b);
  return e;
}

Expr* Sema::invalid_operands(BinaryOp op, const Expr* a, const Expr* b, Loc loc) {
  if (a->type->is_void() || b->type->is_void()) {
    error(a->type->is_void() ? a->loc : b->loc, "void value not ignored as it ought to be");
  } else {
    error(loc,
          "invalid operands to binary " + std::string(spelling(op)) + " (have " + quoted(a->type) + " and " +
              quoted(b->type) + ")",
          {{range_of(a), range_of(b)}, {}});
  }
  return error_expr(loc);
}

// UPC 6.4.2p1
bool Sema::mixes_shared_and_local(BinaryOp op, const Expr* a, const Expr* b, Loc loc) {
  if (!a->type->is_pointer() || !b->type->is_pointer()) return false;
  if (a->type.is_pointer_to_shared() == b->type.is_pointer_to_shared()) return false;
  if (constants_.is_null_constant(a) || constants_.is_null_constant(b)) return false;
  error(loc,
        "operator " + quoted(spelling(op)) + " mixes a pointer-to-shared and a pointer-to-local (have " +
            quoted(a->type) + " and " + quoted(b->type) + ")",
        {{range_of(a), range_of(b)}, {}});
  return true;
}

Expr* Sema::binary(BinaryOp op, Expr* a, Expr* b, Loc loc) {
  if (op == BinaryOp::comma) {
    a = a->type->is_void() ? a : value(a);
    b = b->type->is_void() ? b : value(b);
    return make_binary(op, a, b, b->type, loc);
  }
  a = value(a);
  b = value(b);
  if (a->type->is_unknown() || b->type->is_unknown()) {
    Expr* e = make_binary(op, a, b, types_.unknown(), loc);
    return e;
  }
  if (a->type->is_vector() || b->type->is_vector()) return vector_binary(op, a, b, loc);
  if (mixes_shared_and_local(op, a, b, loc)) return error_expr(loc);
  const bool arithmetic = a->type->is_arithmetic() && b->type->is_arithmetic();
  const bool integers = a->type->is_integer() && b->type->is_integer();
  switch (op) {
    case BinaryOp::mul:
    case BinaryOp::div:
      if (!arithmetic) return invalid_operands(op, a, b, loc);
      break;
    case BinaryOp::rem:
    case BinaryOp::bit_and:
    case BinaryOp::bit_xor:
    case BinaryOp::bit_or:
      if (!integers) return invalid_operands(op, a, b, loc);
      break;
    case BinaryOp::shl:
    case BinaryOp::shr:
      if (!integers) return invalid_operands(op, a, b, loc);
      a = promote(a);
      b = promote(b);
      return make_binary(op, a, b, a->type, loc);
    case BinaryOp::add:
    case BinaryOp::sub:
      return additive(op, a, b, loc);
    case BinaryOp::lt:
    case BinaryOp::gt:
    case BinaryOp::le:
    case BinaryOp::ge:
    case BinaryOp::eq:
    case BinaryOp::ne:
      return comparison(op, a, b, loc);
    case BinaryOp::logical_and:
    case BinaryOp::logical_or:
      if (!a->type->is_scalar() || !b->type->is_scalar()) return invalid_operands(op, a, b, loc);
      return make_binary(op, a, b, types_.int_type(), loc);
    case BinaryOp::comma:
      break;
  }
  if (op == BinaryOp::div || op == BinaryOp::rem) {
    Int128 divisor = 1;
    if (b->type->is_integer() && a->type->is_integer() && constants_.integer(b, divisor) && divisor == 0 &&
        evaluated()) {
      warn(loc, "div-by-zero", "division by zero");
    }
  }
  usual_conversions(a, b);
  const QualType type = usual_type(a->type, b->type);
  return make_binary(op, a, b, type, loc);
}

bool Sema::evaluated() const {
  for (const Unevaluated* u = unevaluated_; u != nullptr; u = u->outer_) {
    if (u->condition_ == nullptr) return false;
    Int128 condition = 0;
    if (u->condition_->type->is_integer() && constants_.integer(u->condition_, condition) &&
        (condition != 0) == u->skips_if_) {
      return false;
    }
  }
  return true;
}

Expr* Sema::additive(BinaryOp op, Expr* a, Expr* b, Loc loc) {
  if (a->type->is_arithmetic() && b->type->is_arithmetic()) {
    usual_conversions(a, b);
    const QualType type = usual_type(a->type, b->type);
    return make_binary(op, a, b, type, loc);
  }
  if (a->type->is_pointer() && b->type->is_pointer() && op == BinaryOp::sub) return pointer_difference(a, b, loc);
  const bool left = a->type->is_pointer() && b->type->is_integer();
  const bool right = op == BinaryOp::add && a->type->is_integer() && b->type->is_pointer();
  if (left || right) return pointer_offset(op, a, b, loc);
  return invalid_operands(op, a, b, loc);
}

// 6.5.6p8, UPC 6.4.2p2-4
Expr* Sema::pointer_offset(BinaryOp op, Expr* a, Expr* b, Loc loc) {
  Expr*& pointer = a->type->is_pointer() ? a : b;
  Expr*& index = a->type->is_pointer() ? b : a;
  if (!check_arithmetic_pointer(pointer->type, loc)) return error_expr(loc);
  index = promote(index);
  return make_binary(op, a, b, pointer->type.unqualified(), loc);
}

// 6.5.6p9, UPC 6.4.2p6
Expr* Sema::pointer_difference(Expr* a, Expr* b, Loc loc) {
  const QualType x = static_cast<const PointerType*>(a->type.type)->pointee;
  const QualType y = static_cast<const PointerType*>(b->type.type)->pointee;
  const auto plain = [&](QualType t) { return types_.strip(t, Quals::kCMask | Quals::kAccessMask); };
  if (!compatible(plain(x), plain(y))) {
    if (!x.is_shared() || x.block_size() == y.block_size()) return invalid_operands(BinaryOp::sub, a, b, loc);
    error(loc,
          "difference of pointers-to-shared with different block sizes (have " + quoted(a->type) + " and " +
              quoted(b->type) + ')' + cast_one,
          {{range_of(a), range_of(b)}, {}});
    return error_expr(loc);
  }
  if (!check_arithmetic_pointer(a->type, loc) || !check_arithmetic_pointer(b->type, loc)) return error_expr(loc);
  return make_binary(BinaryOp::sub, a, b, types_.ptrdiff_type(), loc);
}

Expr* Sema::comparison(BinaryOp op, Expr* a, Expr* b, Loc loc) {
  const bool equality = op == BinaryOp::eq || op == BinaryOp::ne;
  if (a->type->is_arithmetic() && b->type->is_arithmetic()) {
    if (!equality && (a->type->is_complex() || b->type->is_complex())) return invalid_operands(op, a, b, loc);
    usual_conversions(a, b);
    return make_binary(op, a, b, types_.int_type(), loc);
  }
  if (a->type->is_pointer() && b->type->is_pointer()) return pointer_comparison(op, a, b, loc);
  const bool mixed =
      (a->type->is_pointer() && b->type->is_integer()) || (a->type->is_integer() && b->type->is_pointer());
  if (!mixed) return invalid_operands(op, a, b, loc);
  Expr*& pointer = a->type->is_pointer() ? a : b;
  Expr*& integer = a->type->is_pointer() ? b : a;
  const bool pts = pointer->type.is_pointer_to_shared();
  if (constants_.is_null_constant(integer)) {
    if (!equality && pts) {
      error(loc, "comparison of a pointer-to-shared with integer zero by " + quoted(spelling(op)));
      return error_expr(loc);
    }
    if (!equality) warn(loc, "extra", "ordered comparison of pointer with integer zero", WarnLevel::extra);
    integer = implicit_cast(integer, pointer->type, pts ? CastKind::null_to_pts : CastKind::null_to_pointer);
    return make_binary(op, a, b, types_.int_type(), loc);
  }
  if (pts) {
    error(loc, "comparison between pointer-to-shared and integer (have " + quoted(a->type) + " and " + quoted(b->type) +
                   ")");
    return error_expr(loc);
  }
  warn(loc, "", "comparison between pointer and integer");
  integer = implicit_cast(integer, pointer->type, CastKind::int_to_pointer);
  return make_binary(op, a, b, types_.int_type(), loc);
}

// 6.5.8, 6.5.9, UPC 6.4.2p2, p5, p7
Expr* Sema::pointer_comparison(BinaryOp op, Expr* a, Expr* b, Loc loc) {
  const bool equality = op == BinaryOp::eq || op == BinaryOp::ne;
  const QualType x = static_cast<const PointerType*>(a->type.type)->pointee;
  const QualType y = static_cast<const PointerType*>(b->type.type)->pointee;
  const bool a_null = constants_.is_null_constant(a);
  const bool b_null = constants_.is_null_constant(b);
  if (x.is_shared() != y.is_shared()) {  // one is the null constant `(void *)0`
    Expr*& null = a_null ? a : b;
    null = implicit_cast(null, a_null ? b->type : a->type,
                         (a_null ? y : x).is_shared() ? CastKind::null_to_pts : CastKind::null_to_pointer);
    return make_binary(op, a, b, types_.int_type(), loc);
  }
  if (!equality && x.is_shared()) {
    for (const QualType t : {x, y}) {
      if (TypeContext::is_complete(t) && !t->is_void()) continue;
      error(loc,
            "operator " + quoted(spelling(op)) + " on a pointer-to-shared with incomplete type (have " +
                quoted(a->type) + " and " + quoted(b->type) + ")",
            {{range_of(a), range_of(b)}, {}});
      return error_expr(loc);
    }
  }
  const auto plain = [&](QualType t) { return types_.strip(t, Quals::kCMask | Quals::kAccessMask); };
  const bool generic = x->is_void() || y->is_void();
  if (!generic && !a_null && !b_null && !compatible(plain(x), plain(y))) {
    if (x.is_shared()) {
      const bool layout = x.block_size() != y.block_size();
      error(loc,
            std::string("comparison of pointers-to-shared with ") +
                (layout ? "different block sizes" : "incompatible types") + " (have " + quoted(a->type) + " and " +
                quoted(b->type) + ')' + (layout ? cast_one : ""),
            {{range_of(a), range_of(b)}, {}});
      return error_expr(loc);
    }
    const bool sign_only = x->is_integer() && y->is_integer() && types_.size_of(x) == types_.size_of(y);
    warn(loc, sign_only ? "pointer-sign" : "", "comparison of distinct pointer types lacks a cast",
         sign_only ? WarnLevel::all : WarnLevel::always, {{range_of(a), range_of(b)}, {}});
  } else if (generic && !equality && !x.is_shared() && (x->is_function() || y->is_function())) {
    warn(loc, "", "comparison of distinct pointer types lacks a cast");
  }
  return make_binary(op, a, b, types_.int_type(), loc);
}

// GNU vectors: element by element, a scalar operand is spread; comparisons give a vector of integers.
Expr* Sema::vector_binary(BinaryOp op, Expr* a, Expr* b, Loc loc) {
  const bool scalar_side = !a->type->is_vector() || !b->type->is_vector();
  const Expr* v = a->type->is_vector() ? a : b;
  const Expr* other = v == a ? b : a;
  if (scalar_side && !other->type->is_arithmetic()) return invalid_operands(op, a, b, loc);
  if (!scalar_side && !(types_.size_of(a->type) == types_.size_of(b->type))) return invalid_operands(op, a, b, loc);
  QualType type = v->type.unqualified();
  if (op >= BinaryOp::lt && op <= BinaryOp::ne) {
    const auto* vt = static_cast<const VectorType*>(type.type);
    const std::int64_t bytes = types_.size_of({vt->element, {}}).value;
    const TypeKind kind = bytes == 1   ? TypeKind::schar
                          : bytes == 2 ? TypeKind::short_
                          : bytes == 4 ? TypeKind::int_
                                       : TypeKind::long_;
    type = types_.vector_of(types_.builtin(kind).type, vt->count);
  }
  return make_binary(op, a, b, type, loc);
}

// 6.5.16.1
Expr* Sema::assign(Expr* lhs, Expr* rhs, Loc loc) {
  if (lhs->type->is_unknown()) {
    Expr* e = error_expr(loc);
    adopt(e, lhs);
    adopt(e, rhs);
    e->has_side_effects = true;
    return e;
  }
  if (!modifiable(lhs, loc, "assignment")) {
    if (lhs->kind == ExprKind::mythread || lhs->kind == ExprKind::threads)
      note(loc, "did you mean '=='?", {{}, {{{loc, loc + 1}, "=="}}});
    return error_expr(loc);
  }
  if (lhs->type->is_void() || !TypeContext::is_complete(lhs->type)) {
    error(loc, lhs->type->is_void() ? std::string("invalid use of void expression")
                                    : "invalid use of " + incomplete_name(lhs->type));
    return error_expr(loc);
  }
  auto* e = make<AssignExpr>(loc, lhs->type.unqualified());
  e->lhs = lhs;
  e->rhs = convert_for_assignment(rhs, lhs->type, AssignContext::assignment, loc);
  e->access = access_of(lhs->type);
  e->is_bitfield = lhs->is_bitfield;
  adopt(e, lhs);
  adopt(e, e->rhs);
  e->has_side_effects = true;
  return e;
}

// 6.5.16.2: checked as `lhs op rhs`, but the address of lhs is evaluated once.
Expr* Sema::compound_assign(BinaryOp op, Expr* lhs, Expr* rhs, Loc loc) {
  if (lhs->type->is_unknown()) return error_expr(loc);
  if (!modifiable(lhs, loc, "assignment")) return error_expr(loc);
  Expr* computed = binary(op, value(lhs), rhs, loc);
  auto* b = expr_cast<BinaryExpr>(computed);
  if (b == nullptr || computed->type->is_unknown()) return error_expr(loc);
  auto* e = make<AssignExpr>(loc, lhs->type.unqualified());
  e->compound = true;
  e->op = op;
  e->lhs = lhs;
  e->rhs = b->rhs;
  e->computation_type = b->type;
  e->access = access_of(lhs->type);
  e->is_bitfield = lhs->is_bitfield;
  convert_for_assignment(computed, lhs->type, AssignContext::assignment, loc);
  adopt(e, lhs);
  adopt(e, b->rhs);
  e->has_side_effects = true;
  return e;
}

// 6.5.15; `then` is null for the GNU form without a second operand.
Expr* Sema::conditional(Expr* cond, Expr* then, Expr* otherwise, Loc loc) {
  cond = condition(cond, cond->loc);
  auto* e = make<ConditionalExpr>(loc, types_.unknown());
  e->condition = cond;
  e->then = then;
  const auto finish = [&](Expr* a, Expr* b, QualType type) -> Expr* {
    if (e->then != nullptr) e->then = a;
    e->otherwise = b;
    e->type = type;
    e->uses_upc = mentions_shared(type);
    adopt(e, cond);
    if (e->then != nullptr) adopt(e, a);
    adopt(e, b);
    return e;
  };
  Expr* a = then == nullptr ? cond : (then->type->is_void() ? then : value(then));
  Expr* b = otherwise->type->is_void() ? otherwise : value(otherwise);
  if (a->type->is_unknown() || b->type->is_unknown()) return finish(a, b, types_.unknown());
  if (a->type->is_arithmetic() && b->type->is_arithmetic()) {
    const bool integers = a->type->is_integer() && b->type->is_integer();
    const QualType common =
        integers ? usual_type(promoted_type(a->type, a), promoted_type(b->type, b)) : usual_type(a->type, b->type);
    return finish(convert(a, common), convert(b, common), common);
  }
  if (a->type->is_void() || b->type->is_void()) {
    const auto to_void = [&](Expr* x) {
      return x->type->is_void() ? x : implicit_cast(x, types_.void_type(), CastKind::to_void);
    };
    return finish(to_void(a), to_void(b), types_.void_type());
  }
  if (a->type->is_pointer() || b->type->is_pointer()) {
    Expr* joined = pointer_conditional(e, a, b, loc);
    return joined == e ? finish(e->then, e->otherwise, e->type) : joined;
  }
  if (a->type->is_vector() && b->type->is_vector() && types_.size_of(a->type) == types_.size_of(b->type)) {
    return finish(a, b, a->type.unqualified());
  }
  if (compatible_unqualified(a->type, b->type)) return finish(a, b, a->type.unqualified());
  error(loc, "type mismatch in conditional expression (have " + quoted(a->type) + " and " + quoted(b->type) + ")",
        {{range_of(a), range_of(b)}, {}});
  return error_expr(loc);
}

// Converts both operands in place of the node and gives it the result type (6.5.15p6).
Expr* Sema::pointer_conditional(ConditionalExpr* node, Expr* a, Expr* b, Loc loc) {
  const bool a_null = constants_.is_null_constant(a);
  const bool b_null = constants_.is_null_constant(b);
  const auto to_type = [&](QualType type) {
    const auto cast_to = [&](Expr* x) -> Expr* {
      if (x->type.type == type.type) return x;
      const bool pts = type.is_pointer_to_shared();
      CastKind kind = pts ? CastKind::null_to_pts : CastKind::null_to_pointer;
      if (x->type->is_pointer() && !(constants_.is_null_constant(x) && pts))
        kind = pts ? pts_cast_kind(x->type, type) : CastKind::pointer;
      else if (x->type->is_integer() && !constants_.is_null_constant(x))
        kind = CastKind::int_to_pointer;
      return implicit_cast(x, type, kind);
    };
    if (node->then != nullptr) node->then = cast_to(a);
    node->otherwise = cast_to(b);
    node->type = type;
    return node;
  };
  if (!a->type->is_pointer() || !b->type->is_pointer()) {
    const Expr* pointer = a->type->is_pointer() ? a : b;
    const Expr* other = pointer == a ? b : a;
    if (!other->type->is_integer() || (pointer->type.is_pointer_to_shared() && !constants_.is_null_constant(other))) {
      error(loc, "type mismatch in conditional expression (have " + quoted(a->type) + " and " + quoted(b->type) + ")");
      return error_expr(loc);
    }
    if (!constants_.is_null_constant(other)) warn(loc, "", "pointer/integer type mismatch in conditional expression");
    return to_type(pointer->type.unqualified());
  }
  if (a_null && !b_null) return to_type(b->type.unqualified());
  if (b_null && !a_null) return to_type(a->type.unqualified());
  const QualType x = static_cast<const PointerType*>(a->type.type)->pointee;
  const QualType y = static_cast<const PointerType*>(b->type.type)->pointee;
  if (x.is_shared() != y.is_shared()) {
    error(loc,
          "conditional expression mixes a pointer-to-shared and a pointer-to-local (have " + quoted(a->type) + " and " +
              quoted(b->type) + ")",
          {{range_of(a), range_of(b)}, {}});
    return error_expr(loc);
  }
  const auto plain = [&](QualType t) { return types_.strip(t, Quals::kCMask | Quals::kAccessMask); };
  Quals both;
  both.bits =
      (x.ultimate().quals.bits | y.ultimate().quals.bits) & (Quals::kConst | Quals::kVolatile | Quals::kAccessMask);
  if (x->is_void() || y->is_void()) {
    QualType target = x->is_void() ? x : y;
    target.quals.bits |= both.bits & (Quals::kConst | Quals::kVolatile);
    return to_type(types_.pointer_to(target));
  }
  if (compatible(plain(x), plain(y))) {
    return to_type(types_.pointer_to(types_.qualify(composite(types_, x, y), both)));
  }
  if (x.is_shared()) {
    error(loc, "pointer-to-shared type mismatch in conditional expression (have " + quoted(a->type) + " and " +
                   quoted(b->type) + ")");
    return error_expr(loc);
  }
  warn(loc, "", "pointer type mismatch in conditional expression");
  return to_type(types_.pointer_to(types_.void_type()));
}

}  // namespace upcc
