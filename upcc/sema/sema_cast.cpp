#include "sema/compat.hpp"
#include "sema/sema.hpp"

// Casts, sizeof and its UPC relatives, _Generic and the type-inspecting builtins.

namespace upcc {

namespace {

// UPC 6.4.3p1: at the first pointer level where the cast writes `shared` and the operand has none.
bool introduces_shared(QualType to, QualType from) {
  const auto* p = to->as<PointerType>();
  const auto* q = from->as<PointerType>();
  bool first = true;
  while (p != nullptr) {
    if (p->pointee.is_shared() && q == nullptr) return first;
    if (q == nullptr) return false;
    if (p->pointee.is_shared() && !q->pointee.is_shared()) return true;
    // `void *` says nothing about what lies behind it.
    if (q->pointee->is_void()) return false;
    p = p->pointee.ultimate()->as<PointerType>();
    q = q->pointee.ultimate()->as<PointerType>();
    first = false;
  }
  return false;
}

}  // namespace

bool Sema::check_cast(QualType to, Expr* operand, Loc loc) {
  const QualType from = operand->type;
  if (to->is_array() || to->is_function()) {
    error(loc, std::string("cast specifies ") + (to->is_array() ? "array" : "function") + " type");
    return false;
  }
  if (from->is_void()) {
    error(loc, "void value not ignored as it ought to be");
    return false;
  }
  if (to->is_vector() || from->is_vector()) {
    const bool ok = (to->is_vector() || to->is_integer()) && (from->is_vector() || from->is_integer()) &&
                    types_.size_of(to) == types_.size_of(from);
    if (!ok)
      error(loc, "cannot convert a value of type " + quoted(from) + " to vector type " + quoted(to) +
                     " which has different size");
    return ok;
  }
  if (to->is_record()) {
    if (compatible_unqualified(to, from)) return true;
    const RecordDecl* record = static_cast<const RecordType*>(to.type)->decl;
    if (record->is_union && record->complete) {
      for (const FieldDecl* field : record->fields) {
        if (compatible_unqualified(field->type, from)) return true;
      }
      error(loc, "cast to union type from type not present in union");
      return false;
    }
    error(loc, "conversion to non-scalar type requested");
    return false;
  }
  if (from->is_record()) {
    error(loc, "aggregate value used where " +
                   std::string(to->is_pointer()    ? "a pointer"
                               : to->is_floating() ? "a floating-point"
                                                   : "an integer") +
                   " was expected");
    return false;
  }
  if (to->is_pointer() && from->is_floating()) {
    error(loc, "cannot convert to a pointer type");
    return false;
  }
  if (to->is_floating() && from->is_pointer()) {
    error(loc, "pointer value used where a floating-point was expected");
    return false;
  }
  if (to->is_pointer() && !constants_.is_null_constant(operand) && introduces_shared(to, from)) {
    error(loc, "cast from " + quoted(from) + " to " + quoted(to) +
                   " introduces 'shared': a pointer-to-local cannot become a pointer-to-shared");
    return false;
  }
  return true;
}

CastKind Sema::explicit_cast_kind(QualType from, QualType to, const Expr* operand) const {
  if (from->is_unknown() || to->is_unknown()) return CastKind::unknown;
  if (to->is_vector() || from->is_vector()) return CastKind::vector;
  if (to->is_record()) return compatible_unqualified(to, from) ? CastKind::noop : CastKind::to_union;
  const bool pts = to.is_pointer_to_shared();
  if (to->is_pointer()) {
    if (constants_.is_null_constant(operand)) {
      if (pts) return CastKind::null_to_pts;
      if (from->is_integer()) return CastKind::null_to_pointer;
    }
    if (from.is_pointer_to_shared()) return pts ? pts_cast_kind(from, to) : CastKind::pts_to_local;
    return from->is_integer() ? CastKind::int_to_pointer : CastKind::pointer;
  }
  if (from->is_pointer()) {
    if (from.is_pointer_to_shared()) return to->is_bool() ? CastKind::pts_to_bool : CastKind::pts_to_int;
    return to->is_bool() ? CastKind::to_bool : CastKind::pointer_to_int;
  }
  return from.type == to.type ? CastKind::noop : arithmetic_cast_kind(from, to);
}

// 6.5.4, UPC 6.4.3
Expr* Sema::explicit_cast(QualType type, Expr* operand, Loc loc) {
  if (type->is_void() && !type.is_shared()) {
    if (!operand->type->is_void()) operand = value(operand);
    auto* e = make<CastExpr>(loc, type.unqualified());
    e->cast_kind = CastKind::to_void;
    e->operand = operand;
    adopt(e, operand);
    return e;
  }
  if (type.is_shared()) {
    error(loc, "cast to shared type " + quoted(type) + ": only pointers can refer to shared objects");
    return error_expr(loc);
  }
  operand = value(operand);
  if (operand->type->is_unknown() || type->is_unknown()) {
    auto* e = make<CastExpr>(loc, type.unqualified());
    e->cast_kind = CastKind::unknown;
    e->operand = operand;
    adopt(e, operand);
    return e;
  }
  if (!TypeContext::is_complete(type)) {
    if (!type->is_array() && !type->is_function()) {
      error(loc, "conversion to incomplete type " + quoted(type));
      return error_expr(loc);
    }
  }
  if (!check_cast(type, operand, loc)) return error_expr(loc);
  const QualType from = operand->type;
  if (from->is_integer() && type->is_pointer() && types_.size_of(from).value != 8 && !type.is_pointer_to_shared()) {
    Int128 n = 0;
    if (!constants_.integer(operand, n))
      warn(loc, "int-to-pointer-cast", "cast to pointer from integer of different size");
  }
  if (from->is_pointer() && type->is_integer() && !type->is_bool() && types_.size_of(type).value != 8 &&
      !from.is_pointer_to_shared()) {
    warn(loc, "pointer-to-int-cast", "cast from pointer to integer of different size");
  }
  auto* e = make<CastExpr>(loc, type.unqualified());
  e->cast_kind = explicit_cast_kind(from, type, operand);
  e->operand = operand;
  adopt(e, operand);
  return e;
}

namespace {

std::string_view word(SizeofKind kind) {
  switch (kind) {
    case SizeofKind::size:
      return "sizeof";
    case SizeofKind::align:
      return "_Alignof";
    case SizeofKind::upc_local:
      return "upc_localsizeof";
    case SizeofKind::upc_block:
      return "upc_blocksizeof";
    case SizeofKind::upc_elem:
      return "upc_elemsizeof";
  }
  return "sizeof";
}

}  // namespace

// UPC 6.4.1: the value of upc_localsizeof, upc_blocksizeof and upc_elemsizeof.
Expr* Sema::upc_size(SizeofExpr* node) {
  const QualType type = node->operand_type;
  if (!type.is_shared()) {
    error(node->loc, quoted(word(node->op)) + " applied to " + quoted(type) + ", which is not shared");
    return error_expr(node->loc);
  }
  const QualType element = type.ultimate();
  const auto block = static_cast<std::int64_t>(element.quals.block_size());
  const Size element_size = types_.size_of(element);
  if (node->op == SizeofKind::upc_block) {
    node->value = {block, false};
  } else if (node->op == SizeofKind::upc_elem) {
    node->value = element_size;
  } else if (type->variably_modified && type->is_array()) {
    error(node->loc, "'upc_localsizeof' applied to " + quoted(type) + ", whose size is not constant");
    return error_expr(node->loc);
  } else {
    // The fullest thread holds ceil(blocks / THREADS) blocks; with a factor THREADS in the count it cancels.
    const Size count = TypeContext::element_count(type);
    std::int64_t local = count.value;
    const std::int64_t threads = count.times_threads ? 1 : unit_.static_threads;
    if (type->is_array() && block > 0 && threads > 0) {
      const std::int64_t blocks = (count.value + block - 1) / block;
      local = (blocks + threads - 1) / threads * block;
      if (!count.times_threads) local = std::min(local, count.value);
    }
    node->value = {local * element_size.value, false};
  }
  return node;
}

Expr* Sema::size_of_type(SizeofKind kind, QualType type, Loc loc) {
  auto* e = make<SizeofExpr>(loc, types_.size_type());
  e->op = kind;
  e->operand_type = type;
  e->uses_upc = mentions_shared(type);
  if (type->is_unknown()) return error_expr(loc);
  const bool upc = kind >= SizeofKind::upc_local;
  const std::string operation(word(kind));
  if (type->is_function() || type->is_void()) {
    const std::string what = type->is_function() ? "a function type" : "a void type";
    if (upc || type.is_shared()) {
      error(loc, "invalid application of " + quoted(operation) + " to " + what);
      return error_expr(loc);
    }
    warn(loc, "pointer-arith", "invalid application of " + quoted(operation) + " to " + what, WarnLevel::pedantic);
  } else if (!TypeContext::is_complete(type) && !(kind == SizeofKind::align && type->is_array())) {
    error(loc, "invalid application of " + quoted(operation) + " to " + std::string(incomplete_word(type)) + " type " +
                   quoted(type));
    return error_expr(loc);
  }
  if (upc) {
    e->uses_upc = true;
    return upc_size(e);
  }
  if (kind == SizeofKind::align) {
    e->value = {static_cast<std::int64_t>(types_.align_of(type)), false};
    return e;
  }
  e->variable = type->is_array() && type->variably_modified;
  if (e->variable) {
    // Variable only when a dimension of the array itself is.
    bool any = false;
    for (QualType at = type; const auto* a = at->as<ArrayType>(); at = a->element)
      any = any || a->array_kind != ArrayKind::constant;
    e->variable = any;
  }
  if (!e->variable) e->value = types_.size_of(type);
  return e;
}

// 6.5.3.4: the operand keeps its array or function type and is not evaluated.
Expr* Sema::size_of_expr(SizeofKind kind, Expr* operand, Loc loc) {
  if (operand->is_bitfield) {
    error(loc, quoted(word(kind)) + " applied to a bit-field");
    return error_expr(loc);
  }
  Expr* result = size_of_type(kind, operand->type, loc);
  auto* e = expr_cast<SizeofExpr>(result);
  if (e == nullptr) return result;
  e->operand = operand;
  e->uses_upc = e->uses_upc || operand->uses_upc;
  e->depth = operand->depth + 1;
  if (kind == SizeofKind::align) {
    const Expr* inner = operand;
    while (const auto* p = expr_cast<ParenExpr>(inner)) inner = p->inner;
    const auto* ref = expr_cast<DeclRef>(inner);
    const auto* variable = ref == nullptr ? nullptr : decl_cast<VarDecl>(ref->decl);
    if (variable != nullptr && variable->align != 0) e->value.value = static_cast<std::int64_t>(variable->align);
    const auto* m = expr_cast<MemberExpr>(inner);
    if (m != nullptr && (m->field->packed || m->field->parent->packed) && m->field->align == 0) e->value.value = 1;
    if (m != nullptr && m->field->align > static_cast<std::uint64_t>(e->value.value))
      e->value.value = static_cast<std::int64_t>(m->field->align);
  }
  e->has_side_effects = e->variable && operand->has_side_effects;
  return e;
}

// 6.5.1.1
Expr* Sema::generic(Expr* control, std::span<Association> associations, Loc loc) {
  control = value(control);
  auto* e = make<GenericExpr>(loc, types_.unknown());
  const Association* fallback = nullptr;
  const Association* chosen = nullptr;
  for (std::size_t i = 0; i < associations.size(); ++i) {
    const Association& a = associations[i];
    e->uses_upc = e->uses_upc || a.value->uses_upc;
    if (!a.type) {
      if (fallback != nullptr) error(a.loc, "duplicate 'default' case in '_Generic'");
      fallback = &a;
      continue;
    }
    if (a.type->is_function() || !TypeContext::is_complete(a.type)) {
      if (!a.type->is_unknown())
        error(a.loc,
              "'_Generic' association has " + std::string(a.type->is_function() ? "function" : "incomplete") + " type");
      continue;
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (associations[k].type && compatible(associations[k].type, a.type)) {
        error(a.loc, "'_Generic' specifies two compatible types");
        note(associations[k].loc, "compatible type is here");
        break;
      }
    }
    if (chosen == nullptr && compatible(a.type, control->type)) chosen = &a;
  }
  if (chosen == nullptr) chosen = fallback;
  if (control->type->is_unknown()) return e;
  if (chosen == nullptr) {
    error(loc, "'_Generic' selector of type " + quoted(control->type) + " is not compatible with any association");
    return error_expr(loc);
  }
  e->chosen = chosen->value;
  e->type = chosen->value->type;
  e->category = chosen->value->category;
  e->is_bitfield = chosen->value->is_bitfield;
  adopt(e, chosen->value);
  e->uses_upc = e->uses_upc || control->uses_upc || mentions_shared(e->type);
  return e;
}

Expr* Sema::types_compatible(QualType a, QualType b, Loc loc) {
  auto* e = make<TypesCompatibleExpr>(loc, types_.int_type());
  e->a = a;
  e->b = b;
  e->value = compatible_unqualified(types_.strip(a, Quals::kCMask), types_.strip(b, Quals::kCMask));
  if (a.is_shared() != b.is_shared() || (a.is_shared() && a.block_size() != b.block_size())) e->value = false;
  e->uses_upc = mentions_shared(a) || mentions_shared(b);
  return e;
}

Expr* Sema::choose(Expr* condition, Expr* a, Expr* b, Loc loc) {
  Int128 n = 0;
  condition = value(condition);
  if (condition->type->is_unknown()) return error_expr(loc);
  if (!condition->type->is_integer() || !constants_.integer(condition, n)) {
    error(loc, "first argument to '__builtin_choose_expr' not a constant");
    return error_expr(loc);
  }
  Expr* chosen = n != 0 ? a : b;
  auto* e = make<ChooseExpr>(loc, chosen->type);
  e->chosen = chosen;
  e->category = chosen->category;
  e->is_bitfield = chosen->is_bitfield;
  adopt(e, chosen);
  e->uses_upc = e->uses_upc || a->uses_upc || b->uses_upc;
  return e;
}

}  // namespace upcc
