#include "sema/compat.hpp"

namespace upcc {

bool same_qualifiers(Quals a, Quals b) {
  constexpr std::uint64_t kMask = Quals::kCMask | Quals::kShared | Quals::kAccessMask;
  if ((a.bits & kMask) != (b.bits & kMask)) return false;
  return !a.has(Quals::kShared) || a.block_size() == b.block_size();
}

namespace {

const Type* canonical_integer(const Type* t) { return t->is_enum() ? TypeContext::integer_of_enum(t) : t; }

// An old-style parameter list agrees with a prototype whose parameters survive default promotion (6.7.6.3p15).
bool survives_promotion(QualType p) {
  switch (p->kind) {
    case TypeKind::bool_:
    case TypeKind::char_:
    case TypeKind::schar:
    case TypeKind::uchar:
    case TypeKind::short_:
    case TypeKind::ushort:
    case TypeKind::float_:
      return false;
    default:
      return true;
  }
}

bool compatible_functions(const FunctionType* a, const FunctionType* b) {
  if (!compatible_unqualified(a->result, b->result)) return false;
  if (!a->has_prototype || !b->has_prototype) {
    const FunctionType* with = a->has_prototype ? a : b;
    if (!with->has_prototype) return true;
    if (with->variadic) return false;
    for (const QualType& p : with->params) {
      if (!survives_promotion(p)) return false;
    }
    return true;
  }
  if (a->params.size() != b->params.size() || a->variadic != b->variadic) return false;
  for (std::size_t i = 0; i < a->params.size(); ++i) {
    if (!compatible_unqualified(a->params[i], b->params[i])) return false;
  }
  return true;
}

}  // namespace

bool compatible(QualType a, QualType b) {
  if (a->is_unknown() || b->is_unknown()) return true;
  if (!a->is_array() && !same_qualifiers(a.quals, b.quals)) return false;
  return compatible_unqualified(a, b);
}

bool compatible_unqualified(QualType a, QualType b) {
  if (a.type == b.type || a->is_unknown() || b->is_unknown()) return true;
  if (a->kind != b->kind) {
    if (a->is_enum() || b->is_enum()) {
      const Type* ca = canonical_integer(a.type);
      return ca != nullptr && ca == canonical_integer(b.type);
    }
    return false;
  }
  switch (a->kind) {
    case TypeKind::pointer:
      return compatible(static_cast<const PointerType*>(a.type)->pointee,
                        static_cast<const PointerType*>(b.type)->pointee);
    case TypeKind::array: {
      const auto* x = static_cast<const ArrayType*>(a.type);
      const auto* y = static_cast<const ArrayType*>(b.type);
      if (x->array_kind == ArrayKind::constant && y->array_kind == ArrayKind::constant && !(x->count == y->count)) {
        return false;
      }
      return compatible(x->element, y->element);
    }
    case TypeKind::function:
      return compatible_functions(static_cast<const FunctionType*>(a.type), static_cast<const FunctionType*>(b.type));
    default:
      return false;  // builtins, records, enums, vectors and complex types are canonical
  }
}

QualType composite(TypeContext& types, QualType a, QualType b) {
  if (a.type == b.type || a->kind != b->kind) return a;
  QualType out = a;
  switch (a->kind) {
    case TypeKind::pointer:
      out.type = types
                     .pointer_to(composite(types, static_cast<const PointerType*>(a.type)->pointee,
                                           static_cast<const PointerType*>(b.type)->pointee))
                     .type;
      return out;
    case TypeKind::array: {
      const auto* x = static_cast<const ArrayType*>(a.type);
      const auto* y = static_cast<const ArrayType*>(b.type);
      const QualType element = composite(types, x->element, y->element);
      const ArrayType* with = x->array_kind == ArrayKind::constant   ? x
                              : y->array_kind == ArrayKind::constant ? y
                              : x->array_kind == ArrayKind::variable ? x
                                                                     : y;
      if (with->array_kind == ArrayKind::constant)
        out.type = types.array_of(element, with->count).type;
      else if (with == x && element == x->element)
        return a;
      else if (with->array_kind == ArrayKind::variable)
        out.type = types.variable_array_of(element, with->count_expr).type;
      else
        out.type = types.incomplete_array_of(element).type;
      return out;
    }
    case TypeKind::function: {
      const auto* x = static_cast<const FunctionType*>(a.type);
      const auto* y = static_cast<const FunctionType*>(b.type);
      const bool noreturn = x->noreturn || y->noreturn;
      const QualType result = composite(types, x->result, y->result);
      const FunctionType* with = x->has_prototype ? x : y;
      std::vector<QualType> params(with->params.begin(), with->params.end());
      if (x->has_prototype && y->has_prototype) {
        for (std::size_t i = 0; i < params.size(); ++i) params[i] = composite(types, x->params[i], y->params[i]);
      }
      out.type = types.function(result, params, with->variadic, with->has_prototype, noreturn).type;
      return out;
    }
    default:
      return a;
  }
}

}  // namespace upcc
