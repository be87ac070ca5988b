#include "sema/consteval.hpp"

#include <cmath>

#include "ast/stmt.hpp"

namespace upcc {

namespace {

using Kind = ConstValue::Kind;

ConstValue make_integer(Int128 v) {
  ConstValue out;
  out.kind = Kind::integer;
  out.integer = v;
  return out;
}

ConstValue make_real(long double v) {
  ConstValue out;
  out.kind = Kind::real;
  out.real = v;
  return out;
}

long double as_real(const ConstValue& v, const Type* type) {
  if (v.kind != Kind::integer) return v.real;
  return TypeContext::is_signed(type) ? static_cast<long double>(v.integer)
                                      : static_cast<long double>(static_cast<UInt128>(v.integer));
}

long double round_real(long double v, const Type* type) {
  switch (type->kind) {
    case TypeKind::float_:
    case TypeKind::float32:
    case TypeKind::float16:
      return static_cast<long double>(static_cast<float>(v));
    case TypeKind::double_:
    case TypeKind::float64:
    case TypeKind::float32x:
      return static_cast<long double>(static_cast<double>(v));
    default:
      return v;
  }
}

std::int64_t pointee_size(const TypeContext& types, QualType pointer, bool& times_threads) {
  const auto* p = pointer->as<PointerType>();
  if (p == nullptr) return 1;
  const Size size = types.size_of(p->pointee);
  times_threads = size.times_threads;
  return size.value;
}

ConstValue compare(BinaryOp op, auto a, auto b) {
  switch (op) {
    case BinaryOp::lt:
      return make_integer(a < b);
    case BinaryOp::gt:
      return make_integer(a > b);
    case BinaryOp::le:
      return make_integer(a <= b);
    case BinaryOp::ge:
      return make_integer(a >= b);
    case BinaryOp::eq:
      return make_integer(!(a < b) && !(b < a) && a == b);
    case BinaryOp::ne:
      return make_integer(!(a == b));
    default:
      return {};
  }
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::lt && op <= BinaryOp::ne; }

ConstValue real_binary(BinaryOp op, long double a, long double b, const Type* type) {
  if (is_comparison(op)) return compare(op, a, b);
  switch (op) {
    case BinaryOp::mul:
      return make_real(round_real(a * b, type));
    case BinaryOp::div:
      return make_real(round_real(a / b, type));
    case BinaryOp::add:
      return make_real(round_real(a + b, type));
    case BinaryOp::sub:
      return make_real(round_real(a - b, type));
    default:
      return {};
  }
}

ConstValue complex_binary(BinaryOp op, const ConstValue& a, const ConstValue& b) {
  ConstValue out;
  out.kind = Kind::complex;
  switch (op) {
    case BinaryOp::add:
      out.real = a.real + b.real;
      out.imaginary = a.imaginary + b.imaginary;
      return out;
    case BinaryOp::sub:
      out.real = a.real - b.real;
      out.imaginary = a.imaginary - b.imaginary;
      return out;
    case BinaryOp::mul:
      out.real = a.real * b.real - a.imaginary * b.imaginary;
      out.imaginary = a.real * b.imaginary + a.imaginary * b.real;
      return out;
    case BinaryOp::div: {
      const long double d = b.real * b.real + b.imaginary * b.imaginary;
      out.real = (a.real * b.real + a.imaginary * b.imaginary) / d;
      out.imaginary = (a.imaginary * b.real - a.real * b.imaginary) / d;
      return out;
    }
    case BinaryOp::eq:
      return make_integer(a.real == b.real && a.imaginary == b.imaginary);
    case BinaryOp::ne:
      return make_integer(a.real != b.real || a.imaginary != b.imaginary);
    default:
      return {};
  }
}

UInt128 u(Int128 v) { return static_cast<UInt128>(v); }

ConstValue integer_binary(BinaryOp op, Int128 a, Int128 b, bool is_signed, unsigned bits) {
  if (is_comparison(op)) return is_signed ? compare(op, a, b) : compare(op, u(a), u(b));
  switch (op) {
    case BinaryOp::mul:
      return make_integer(static_cast<Int128>(u(a) * u(b)));
    case BinaryOp::div:
      if (b == 0 || (is_signed && b == -1 && u(a) == u(1) << 127)) return {};
      return make_integer(is_signed ? a / b : static_cast<Int128>(u(a) / u(b)));
    case BinaryOp::rem:
      if (b == 0) return {};
      if (is_signed && b == -1) return make_integer(0);
      return make_integer(is_signed ? a % b : static_cast<Int128>(u(a) % u(b)));
    case BinaryOp::add:
      return make_integer(static_cast<Int128>(u(a) + u(b)));
    case BinaryOp::sub:
      return make_integer(static_cast<Int128>(u(a) - u(b)));
    case BinaryOp::shl:
      if (b < 0 || b >= static_cast<Int128>(bits)) return {};
      return make_integer(static_cast<Int128>(u(a) << static_cast<unsigned>(b)));
    case BinaryOp::shr:
      if (b < 0 || b >= static_cast<Int128>(bits)) return {};
      return make_integer(is_signed ? a >> static_cast<unsigned>(b)
                                    : static_cast<Int128>(u(a) >> static_cast<unsigned>(b)));
    case BinaryOp::bit_and:
      return make_integer(a & b);
    case BinaryOp::bit_xor:
      return make_integer(a ^ b);
    case BinaryOp::bit_or:
      return make_integer(a | b);
    default:
      return {};
  }
}

}  // namespace

Int128 ConstEvaluator::wrap(Int128 v, const Type* type) const {
  if (type->is_bool()) return v != 0;
  const unsigned bits = types_.integer_bits(type);
  if (bits >= 128) return v;
  const UInt128 mask = (UInt128{1} << bits) - 1;
  UInt128 low = u(v) & mask;
  if (TypeContext::is_signed(type) && (low >> (bits - 1)) != 0) low |= ~mask;
  return static_cast<Int128>(low);
}

bool ConstEvaluator::truth(const ConstValue& v, bool& out) {
  switch (v.kind) {
    case Kind::integer:
      out = v.integer != 0;
      return true;
    case Kind::real:
      out = v.real != 0;
      return true;
    case Kind::complex:
      out = v.real != 0 || v.imaginary != 0;
      return true;
    case Kind::address:
      out = true;
      return true;
    case Kind::none:
      return false;
  }
  return false;
}

bool ConstEvaluator::integer(const Expr* e, Int128& out) const {
  const ConstValue v = evaluate(e);
  if (!v.is_integer()) return false;
  out = v.integer;
  return true;
}

ConstValue ConstEvaluator::convert(ConstValue v, QualType to, QualType from) const {
  if (!v.is_constant()) return v;
  if (to->is_bool()) {
    bool t = false;
    return truth(v, t) ? make_integer(t) : ConstValue{};
  }
  if (to->is_integer()) {
    if (v.kind == Kind::address) {
      if (types_.integer_bits(to.type) < 64) return {};
      return v;
    }
    if (v.kind == Kind::integer) {
      const bool threads = v.times_threads;
      v = make_integer(wrap(v.integer, to.type));
      v.times_threads = threads;
      return v;
    }
    if (!(std::fabs(v.real) < 0x1p126L)) return {};
    return make_integer(wrap(static_cast<Int128>(v.real), to.type));
  }
  if (to->is_real_floating()) {
    if (v.kind == Kind::address || v.times_threads) return {};
    return make_real(round_real(as_real(v, from.type), to.type));
  }
  if (to->is_complex()) {
    if (v.kind == Kind::address || v.times_threads) return {};
    ConstValue out = v;
    out.real = as_real(v, from.type);
    if (v.kind != Kind::complex) out.imaginary = 0;
    out.kind = Kind::complex;
    return out;
  }
  if (to->is_pointer()) {
    if (v.kind == Kind::integer && !v.times_threads) return v;
    return v.kind == Kind::address ? v : ConstValue{};
  }
  return {};
}

ConstValue ConstEvaluator::evaluate(const Expr* e) const {
  switch (e->kind) {
    case ExprKind::int_literal:
      return make_integer(static_cast<Int128>(static_cast<const IntLiteral*>(e)->value));
    case ExprKind::float_literal: {
      const auto* f = static_cast<const FloatLiteral*>(e);
      if (!f->imaginary) return make_real(f->value);
      ConstValue out;
      out.kind = Kind::complex;
      out.imaginary = f->value;
      return out;
    }
    case ExprKind::decl_ref:
      if (const auto* c = decl_cast<EnumConstantDecl>(static_cast<const DeclRef*>(e)->decl))
        return make_integer(c->value);
      return {};
    case ExprKind::threads: {
      ConstValue out = make_integer(static_threads_ == 0 ? 1 : static_threads_);
      out.times_threads = static_threads_ == 0;
      return out;
    }
    case ExprKind::paren:
      return evaluate(static_cast<const ParenExpr*>(e)->inner);
    case ExprKind::unary:
      return unary(static_cast<const UnaryExpr*>(e));
    case ExprKind::binary:
      return binary(static_cast<const BinaryExpr*>(e));
    case ExprKind::conditional: {
      const auto* c = static_cast<const ConditionalExpr*>(e);
      const ConstValue condition = evaluate(c->condition);
      bool t = false;
      if (condition.times_threads || !truth(condition, t)) return {};
      if (t && c->then == nullptr) return convert(condition, e->type, c->condition->type);
      return evaluate(t ? c->then : c->otherwise);
    }
    case ExprKind::cast:
      return cast(static_cast<const CastExpr*>(e));
    case ExprKind::call:
      return call(static_cast<const CallExpr*>(e));
    case ExprKind::sizeof_: {
      const auto* s = static_cast<const SizeofExpr*>(e);
      if (s->variable) return {};
      ConstValue out = make_integer(s->value.value);
      out.times_threads = s->value.times_threads;
      return out;
    }
    case ExprKind::label_address: {
      ConstValue out;
      out.kind = Kind::address;
      out.base = static_cast<const LabelAddressExpr*>(e)->label;
      return out;
    }
    case ExprKind::generic:
      return evaluate(static_cast<const GenericExpr*>(e)->chosen);
    case ExprKind::choose:
      return evaluate(static_cast<const ChooseExpr*>(e)->chosen);
    case ExprKind::offsetof_: {
      const auto* o = static_cast<const OffsetofExpr*>(e);
      return o->variable_indices.empty() ? make_integer(static_cast<Int128>(o->constant_bytes)) : ConstValue{};
    }
    case ExprKind::types_compatible:
      return make_integer(static_cast<const TypesCompatibleExpr*>(e)->value ? 1 : 0);
    default:
      return {};
  }
}

ConstValue ConstEvaluator::unary(const UnaryExpr* e) const {
  if (e->op == UnaryOp::address_of) return address_of(e->operand);
  const ConstValue v = evaluate(e->operand);
  if (!v.is_constant()) return {};
  switch (e->op) {
    case UnaryOp::plus:
    case UnaryOp::extension:
      return v;
    case UnaryOp::minus:
      if (v.times_threads || v.kind == Kind::address) return {};
      if (v.kind == Kind::integer) return make_integer(wrap(static_cast<Int128>(-u(v.integer)), e->type.type));
      {
        ConstValue out = v;
        out.real = -v.real;
        out.imaginary = -v.imaginary;
        return out;
      }
    case UnaryOp::bit_not:
      if (!v.is_integer()) return {};
      return make_integer(wrap(~v.integer, e->type.type));
    case UnaryOp::logical_not: {
      bool t = false;
      return truth(v, t) ? make_integer(!t) : ConstValue{};
    }
    case UnaryOp::real:
      if (v.kind != Kind::complex) return v;
      return e->type->is_integer() ? make_integer(static_cast<Int128>(v.real)) : make_real(v.real);
    case UnaryOp::imag:
      if (v.kind == Kind::complex) {
        return e->type->is_integer() ? make_integer(static_cast<Int128>(v.imaginary)) : make_real(v.imaginary);
      }
      return e->type->is_integer() ? make_integer(0) : make_real(0);
    default:
      return {};
  }
}

ConstValue ConstEvaluator::pointer_binary(const BinaryExpr* e, const ConstValue& a, const ConstValue& b) const {
  bool times_threads = false;
  if (e->type->is_pointer()) {
    const bool left = e->lhs->type->is_pointer();
    const ConstValue& p = left ? a : b;
    const ConstValue& i = left ? b : a;
    if (i.kind != Kind::integer) return {};
    const std::int64_t size = pointee_size(types_, e->type, times_threads);
    ConstValue out = p;
    // Arithmetic on a shared address is done when the program starts; its value is of no use here.
    if (p.shared || i.times_threads || times_threads) return p.shared ? p : ConstValue{};
    out.integer += (e->op == BinaryOp::sub ? -i.integer : i.integer) * size;
    return out;
  }
  if (a.base != b.base || a.kind != b.kind || a.shared || b.shared) {
    if (e->op == BinaryOp::eq || e->op == BinaryOp::ne) {
      const bool one_null = (a.kind == Kind::integer && a.integer == 0) || (b.kind == Kind::integer && b.integer == 0);
      if (one_null || (a.base != b.base && !a.shared && !b.shared)) return make_integer(e->op == BinaryOp::ne);
    }
    return {};
  }
  if (is_comparison(e->op)) return compare(e->op, a.integer, b.integer);
  if (e->op != BinaryOp::sub) return {};
  const std::int64_t size = pointee_size(types_, e->lhs->type, times_threads);
  return size == 0 || times_threads ? ConstValue{} : make_integer((a.integer - b.integer) / size);
}

ConstValue ConstEvaluator::binary(const BinaryExpr* e) const {
  const ConstValue a = evaluate(e->lhs);
  if (e->op == BinaryOp::logical_and || e->op == BinaryOp::logical_or) {
    bool left = false;
    bool right = false;
    const bool is_and = e->op == BinaryOp::logical_and;
    if (!truth(a, left)) return {};
    if (left != is_and) return make_integer(left);
    return truth(evaluate(e->rhs), right) ? make_integer(right) : ConstValue{};
  }
  if (e->op == BinaryOp::comma) return e->lhs->has_side_effects ? ConstValue{} : evaluate(e->rhs);
  if (!a.is_constant()) return {};
  const ConstValue b = evaluate(e->rhs);
  if (!b.is_constant()) return {};
  if (e->lhs->type->is_pointer() || e->rhs->type->is_pointer()) return pointer_binary(e, a, b);
  if (a.kind == Kind::address || b.kind == Kind::address) {
    // An address converted to an integer may be moved by a constant.
    ConstValue out = a.kind == Kind::address ? a : b;
    const ConstValue& other = a.kind == Kind::address ? b : a;
    if (!other.is_integer()) return {};
    if (e->op == BinaryOp::add) return out.integer += other.integer, out;
    if (e->op == BinaryOp::sub && a.kind == Kind::address) return out.integer -= other.integer, out;
    return {};
  }
  if (a.kind == Kind::complex || b.kind == Kind::complex) return complex_binary(e->op, a, b);
  if (a.kind == Kind::real || b.kind == Kind::real) {
    return real_binary(e->op, as_real(a, e->lhs->type.type), as_real(b, e->rhs->type.type), e->type.type);
  }
  if (a.times_threads || b.times_threads) {
    // The only symbolic form is one factor THREADS.
    if (e->op != BinaryOp::mul || (a.times_threads && b.times_threads)) return {};
    ConstValue out = make_integer(a.integer * b.integer);
    out.times_threads = true;
    return out;
  }
  const Type* operand = e->lhs->type.type;
  ConstValue out =
      integer_binary(e->op, a.integer, b.integer, TypeContext::is_signed(operand), types_.integer_bits(operand));
  if (out.kind == Kind::integer) out.integer = wrap(out.integer, e->type.type);
  return out;
}

ConstValue ConstEvaluator::cast(const CastExpr* e) const {
  switch (e->cast_kind) {
    case CastKind::lvalue_to_rvalue: {
      // A compound literal or string element is not an integer constant; gcc refuses it too.
      return {};
    }
    case CastKind::array_to_pointer:
    case CastKind::function_to_pointer:
      return address_of(e->operand);
    case CastKind::to_void:
    case CastKind::to_union:
    case CastKind::unknown:
      return {};
    default:
      break;
  }
  const ConstValue v = evaluate(e->operand);
  return convert(v, e->type, e->operand->type);
}

// __builtin_constant_p and friends that headers use in constant expressions.
ConstValue ConstEvaluator::call(const CallExpr* e) const {
  if (e->direct == nullptr || !e->direct->is_builtin) return {};
  const std::string_view name = e->direct->name->text;
  if (name == "__builtin_constant_p") {
    return make_integer(!e->args.empty() && evaluate(e->args[0]).is_constant() ? 1 : 0);
  }
  if (name == "__builtin_expect" && e->args.size() == 2) return evaluate(e->args[0]);
  if (name.starts_with("__builtin_inf") || name.starts_with("__builtin_huge_val")) return make_real(HUGE_VALL);
  if (name.starts_with("__builtin_nan")) return make_real(std::nanl(""));
  if (name == "__builtin_classify_type" || name == "__builtin_object_size") return make_integer(-1);
  if (e->args.size() != 1) return {};
  const ConstValue v = evaluate(e->args[0]);
  if (v.is_integer()) {
    const auto x = static_cast<std::uint64_t>(v.integer);
    const auto x32 = static_cast<std::uint32_t>(x);
    if (name == "__builtin_bswap16") return make_integer(__builtin_bswap16(static_cast<std::uint16_t>(x)));
    if (name == "__builtin_bswap32") return make_integer(__builtin_bswap32(x32));
    if (name == "__builtin_bswap64") return make_integer(static_cast<Int128>(__builtin_bswap64(x)));
    if (name == "__builtin_popcount") return make_integer(__builtin_popcount(x32));
    if (name == "__builtin_popcountl" || name == "__builtin_popcountll") return make_integer(__builtin_popcountll(x));
    if (name == "__builtin_ffs") return make_integer(__builtin_ffs(static_cast<int>(x32)));
    if (name == "__builtin_clz" && x32 != 0) return make_integer(__builtin_clz(x32));
    if (name == "__builtin_ctz" && x32 != 0) return make_integer(__builtin_ctz(x32));
    if ((name == "__builtin_clzl" || name == "__builtin_clzll") && x != 0) return make_integer(__builtin_clzll(x));
    if ((name == "__builtin_ctzl" || name == "__builtin_ctzll") && x != 0) return make_integer(__builtin_ctzll(x));
    if (name == "__builtin_abs" || name == "__builtin_labs")
      return make_integer(v.integer < 0 ? -v.integer : v.integer);
  }
  if (v.kind == Kind::real && name.starts_with("__builtin_fabs")) return make_real(std::fabs(v.real));
  if (name == "__builtin_strlen" && v.kind == Kind::address && v.base != nullptr && v.integer == 0) {
    const Expr* arg = e->args[0];
    while (const auto* c = expr_cast<CastExpr>(arg)) arg = c->operand;
    if (const auto* s = expr_cast<StringLiteral>(arg)) {
      return make_integer(static_cast<Int128>(std::min(s->bytes.find('\0'), s->bytes.size())));
    }
  }
  return {};
}

ConstValue ConstEvaluator::address_of(const Expr* lvalue) const {
  ConstValue out;
  switch (lvalue->kind) {
    case ExprKind::paren:
      return address_of(static_cast<const ParenExpr*>(lvalue)->inner);
    case ExprKind::decl_ref: {
      const Decl* decl = static_cast<const DeclRef*>(lvalue)->decl;
      const auto* variable = decl_cast<VarDecl>(decl);
      if (variable != nullptr && variable->duration != StorageDuration::static_) return {};
      if (variable == nullptr && decl->kind != DeclKind::function) return {};
      while (variable != nullptr && variable->previous != nullptr) variable = variable->previous;
      out.kind = Kind::address;
      out.base = variable != nullptr ? static_cast<const Decl*>(variable) : decl;
      out.shared = variable != nullptr && variable->is_shared();
      return out;
    }
    case ExprKind::string_literal:
      out.kind = Kind::address;
      out.base = lvalue;
      return out;
    case ExprKind::compound_literal:
      if (!static_cast<const CompoundLiteralExpr*>(lvalue)->file_scope) return {};
      out.kind = Kind::address;
      out.base = lvalue;
      return out;
    case ExprKind::unary: {
      const auto* unary = static_cast<const UnaryExpr*>(lvalue);
      if (unary->op == UnaryOp::deref) return evaluate(unary->operand);
      if (unary->op == UnaryOp::extension) return address_of(unary->operand);
      if (unary->op == UnaryOp::real || unary->op == UnaryOp::imag) {
        out = address_of(unary->operand);
        if (unary->op == UnaryOp::imag) out.integer += types_.size_of(lvalue->type).value;
        return out;
      }
      return {};
    }
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(lvalue);
      out = m->arrow ? evaluate(m->base) : address_of(m->base);
      if (!out.is_constant()) return {};
      out.integer += static_cast<Int128>(m->field->bit_offset / 8);
      return out;
    }
    case ExprKind::subscript: {
      const auto* s = static_cast<const SubscriptExpr*>(lvalue);
      out = s->base->type->is_pointer() ? evaluate(s->base) : address_of(s->base);
      const ConstValue index = evaluate(s->index);
      if (!out.is_constant() || index.kind != Kind::integer) return {};
      if (out.shared) return out;
      const Size size = types_.size_of(lvalue->type);
      if (index.times_threads || size.times_threads) return {};
      out.integer += index.integer * size.value;
      return out;
    }
    case ExprKind::generic:
      return address_of(static_cast<const GenericExpr*>(lvalue)->chosen);
    case ExprKind::choose:
      return address_of(static_cast<const ChooseExpr*>(lvalue)->chosen);
    default:
      return {};
  }
}

bool ConstEvaluator::is_null_constant(const Expr* e) const {
  while (e->kind == ExprKind::paren) e = static_cast<const ParenExpr*>(e)->inner;
  if (const auto* x = expr_cast<UnaryExpr>(e); x != nullptr && x->op == UnaryOp::extension)
    return is_null_constant(x->operand);
  if (e->type->is_integer()) {
    Int128 v = 0;
    if (e->has_side_effects || e->kind == ExprKind::decl_ref) {
      const auto* ref = expr_cast<DeclRef>(e);
      if (ref == nullptr || ref->decl->kind != DeclKind::enum_constant) return false;
    }
    return integer(e, v) && v == 0;
  }
  if (const auto* c = expr_cast<CastExpr>(e); c != nullptr && !c->implicit) {
    const auto* p = e->type->as<PointerType>();
    if (p != nullptr && p->pointee->is_void() && !p->pointee.quals.has(Quals::kCMask | Quals::kShared)) {
      return c->operand->type->is_integer() && is_null_constant(c->operand);
    }
  }
  return false;
}

bool ConstEvaluator::is_static_initialiser(const Expr* e) const {
  if (e->type->is_unknown()) return true;
  const ConstValue v = evaluate(e);
  if (v.is_constant()) return !v.times_threads;
  // Vectors and whole records: compound literals at file scope and string literals are handled by the caller.
  const auto* c = expr_cast<CastExpr>(e);
  if (c != nullptr && (c->cast_kind == CastKind::vector || c->cast_kind == CastKind::noop ||
                       c->cast_kind == CastKind::unknown || c->cast_kind == CastKind::to_union)) {
    return is_static_initialiser(c->operand);
  }
  if (c != nullptr && c->cast_kind == CastKind::lvalue_to_rvalue) {
    const Expr* inner = c->operand;
    while (inner->kind == ExprKind::paren) inner = static_cast<const ParenExpr*>(inner)->inner;
    const auto* literal = expr_cast<CompoundLiteralExpr>(inner);
    return literal != nullptr && literal->file_scope && !literal->type->is_scalar();
  }
  return false;
}

}  // namespace upcc
