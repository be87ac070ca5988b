#include "sema/compat.hpp"
#include "sema/sema.hpp"
#include "sema/target.hpp"

// Conversions: C11 6.3, 6.5.16.1 and UPC 6.4.3. What gcc lets pass with a warning, we let pass with the same warning;
// only pointers-to-shared are stricter, because no implicit conversion may change a layout or an address space.

namespace upcc {

Access Sema::access_of(QualType type) const {
  const Quals q = type.ultimate().quals;
  if (!q.has(Quals::kShared)) return Access::none;
  if (q.has(Quals::kStrict)) return Access::strict;
  if (q.has(Quals::kRelaxed)) return Access::relaxed;
  return strict_mode_ ? Access::strict : Access::relaxed;
}

Expr* Sema::implicit_cast(Expr* e, QualType to, CastKind kind) {
  auto* cast = make<CastExpr>(e->loc, to);
  cast->cast_kind = kind;
  cast->implicit = true;
  cast->operand = e;
  cast->tokens = e->tokens;
  adopt(cast, e);
  return cast;
}

Expr* Sema::decay_no_load(Expr* e) {
  if (e->type->is_array()) {
    const auto* a = e->type->as<ArrayType>();
    if (e->is_register) error(e->loc, "address of register variable requested");
    return implicit_cast(e, types_.pointer_to(a->element), CastKind::array_to_pointer);
  }
  if (e->type->is_function()) {
    return implicit_cast(e, types_.pointer_to(e->type.unqualified()), CastKind::function_to_pointer);
  }
  return e;
}

// 6.3.2.1: the value of an expression.
Expr* Sema::value(Expr* e) {
  if (e->type->is_array() || e->type->is_function()) return decay_no_load(e);
  if (!e->is_lvalue()) return e;
  if (e->type->is_void()) return e;
  if (!TypeContext::is_complete(e->type)) {
    error(e->loc, "invalid use of " + incomplete_name(e->type), {{range_of(e)}, {}});
    return error_expr(e->loc);
  }
  Expr* cast = implicit_cast(e, e->type.unqualified(), CastKind::lvalue_to_rvalue);
  cast->access = access_of(e->type);
  cast->is_bitfield = e->is_bitfield;
  return cast;
}

namespace {

const MemberExpr* bitfield_member(const Expr* e) {
  for (;;) {
    if (const auto* c = expr_cast<CastExpr>(e); c != nullptr && c->implicit) {
      e = c->operand;
    } else if (const auto* p = expr_cast<ParenExpr>(e)) {
      e = p->inner;
    } else if (const auto* comma = expr_cast<BinaryExpr>(e); comma != nullptr && comma->op == BinaryOp::comma) {
      e = comma->rhs;
    } else if (const auto* a = expr_cast<AssignExpr>(e)) {
      e = a->lhs;
    } else if (const auto* u = expr_cast<UnaryExpr>(e);
               u != nullptr && u->op >= UnaryOp::pre_inc && u->op <= UnaryOp::post_dec) {
      e = u->operand;
    } else {
      return expr_cast<MemberExpr>(e);
    }
  }
}

int integer_rank(TypeKind kind) {
  switch (kind) {
    case TypeKind::bool_:
      return 0;
    case TypeKind::char_:
    case TypeKind::schar:
    case TypeKind::uchar:
      return 1;
    case TypeKind::short_:
    case TypeKind::ushort:
      return 2;
    case TypeKind::int_:
    case TypeKind::uint:
      return 3;
    case TypeKind::long_:
    case TypeKind::ulong:
      return 4;
    case TypeKind::longlong:
    case TypeKind::ulonglong:
      return 5;
    default:
      return 6;
  }
}

TypeKind unsigned_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::int_:
      return TypeKind::uint;
    case TypeKind::long_:
      return TypeKind::ulong;
    case TypeKind::longlong:
      return TypeKind::ulonglong;
    case TypeKind::int128:
      return TypeKind::uint128;
    default:
      return kind;
  }
}

int float_rank(TypeKind kind) {
  switch (kind) {
    case TypeKind::float16:
      return 1;
    case TypeKind::float_:
      return 2;
    case TypeKind::float32:
      return 3;
    case TypeKind::double_:
      return 4;
    case TypeKind::float32x:
      return 5;
    case TypeKind::float64:
      return 6;
    case TypeKind::longdouble:
      return 7;
    case TypeKind::float64x:
      return 8;
    case TypeKind::float128:
      return 9;
    default:
      return 0;
  }
}

}  // namespace

QualType Sema::promoted_type(QualType type, const Expr* e) {
  const Type* t = TypeContext::integer_of_enum(type.type);
  if (t == nullptr) return types_.int_type();
  if (e != nullptr && e->is_bitfield && t->is_integer()) {
    const MemberExpr* m = bitfield_member(e);
    if (m != nullptr && m->field->is_bitfield) {
      const unsigned width = m->field->bit_width;
      if (t->is_bool() || width < 32 || (width == 32 && TypeContext::is_signed(t))) return types_.int_type();
      if (width == 32) return types_.builtin(TypeKind::uint);
    }
  }
  if (integer_rank(t->kind) < 3) return types_.int_type();
  return {t, {}};
}

Expr* Sema::promote(Expr* e) {
  if (!e->type->is_integer()) return e;
  return convert(e, promoted_type(e->type, e));
}

Expr* Sema::default_promote(Expr* e) {
  e = value(e);
  if (e->type->is_integer()) return promote(e);
  if (e->type->is(TypeKind::float_) || e->type->is(TypeKind::float16))
    return convert(e, types_.builtin(TypeKind::double_));
  return e;
}

CastKind Sema::arithmetic_cast_kind(QualType from, QualType to) const {
  if (from->is_unknown() || to->is_unknown()) return CastKind::unknown;
  if (to->is_bool()) return CastKind::to_bool;
  if (from->is_complex()) return to->is_complex() ? CastKind::complex : CastKind::complex_to_real;
  if (to->is_complex()) return CastKind::real_to_complex;
  if (from->is_integer()) return to->is_integer() ? CastKind::integral : CastKind::int_to_float;
  return to->is_integer() ? CastKind::float_to_int : CastKind::floating;
}

Expr* Sema::convert(Expr* e, QualType to) {
  to = to.unqualified();
  if (e->type.type == to.type) return e;
  return implicit_cast(e, to, arithmetic_cast_kind(e->type, to));
}

// 6.3.1.8 with complex types, vectors aside.
QualType Sema::usual_type(QualType a, QualType b) {
  if (a->is_unknown() || b->is_unknown()) return types_.unknown();
  const auto real_part = [](QualType t) -> const Type* {
    return t->is_complex() ? static_cast<const ComplexType*>(t.type)->element : t.type;
  };
  const Type* ra = real_part(a);
  const Type* rb = real_part(b);
  const Type* common = nullptr;
  if (ra->is_real_floating() || rb->is_real_floating()) {
    common = float_rank(ra->kind) >= float_rank(rb->kind) ? ra : rb;
  } else {
    const TypeKind ka = promoted_type({ra, {}}, nullptr)->kind;
    const TypeKind kb = promoted_type({rb, {}}, nullptr)->kind;
    const bool sa = TypeContext::is_signed(types_.builtin(ka).type);
    const bool sb = TypeContext::is_signed(types_.builtin(kb).type);
    TypeKind kind = ka;
    if (sa == sb) {
      kind = integer_rank(ka) >= integer_rank(kb) ? ka : kb;
    } else {
      const TypeKind s = sa ? ka : kb;
      const TypeKind u = sa ? kb : ka;
      if (integer_rank(u) >= integer_rank(s))
        kind = u;
      else if (types_.integer_bits(types_.builtin(s).type) > types_.integer_bits(types_.builtin(u).type))
        kind = s;
      else
        kind = unsigned_of(s);
    }
    common = types_.builtin(kind).type;
  }
  if (a->is_complex() || b->is_complex()) return types_.complex_of(common);
  return {common, {}};
}

void Sema::usual_conversions(Expr*& a, Expr*& b) {
  if (a->type->is_unknown() || b->type->is_unknown()) return;
  a = promote(a);
  b = promote(b);
  const QualType common = usual_type(a->type, b->type);
  // A real operand of a complex operation keeps its domain: only its element type changes.
  const auto to = [&](Expr* e) {
    if (!common->is_complex() || e->type->is_complex()) return convert(e, common);
    return convert(e, {static_cast<const ComplexType*>(common.type)->element, {}});
  };
  a = to(a);
  b = to(b);
}

Expr* Sema::condition(Expr* e, Loc loc) {
  // The C compiler does not see that it is an assignment.
  if (const auto* a = expr_cast<AssignExpr>(e); a != nullptr && !a->compound && a->lhs->is_shared_lvalue())
    warn(a->loc, "parentheses", "suggest parentheses around assignment used as truth value", WarnLevel::all);
  e = value(e);
  if (e->type->is_unknown() || e->type->is_scalar()) return e;
  error(loc,
        e->type->is_void() ? std::string("void value not ignored as it ought to be")
        : e->type->is_record()
            ? "used " + std::string(is_union(e->type) ? "union" : "struct") + " type value where scalar is required"
            : "used " + quoted(e->type) + " value where scalar is required",
        {{range_of(e)}, {}});
  return error_expr(e->loc);
}

// 6.4.3p3-5: what an assignment or cast does to the phase.
CastKind Sema::pts_cast_kind(QualType from, QualType to) const {
  const QualType a = static_cast<const PointerType*>(from.type)->pointee;
  const QualType b = static_cast<const PointerType*>(to.type)->pointee;
  if (b->is_void()) return CastKind::pts_to_pts_keep;
  if (a->is_void()) return b.block_size() <= 1 ? CastKind::pts_to_pts_reset : CastKind::pts_to_pts_keep;
  if (a.block_size() != b.block_size()) return CastKind::pts_to_pts_reset;
  const QualType ua = a.ultimate();
  const QualType ub = b.ultimate();
  if (!TypeContext::is_complete(ua) || !TypeContext::is_complete(ub)) {
    return ua.type == ub.type ? CastKind::pts_to_pts_keep : CastKind::pts_to_pts_reset;
  }
  return types_.size_of(ua).value == types_.size_of(ub).value ? CastKind::pts_to_pts_keep : CastKind::pts_to_pts_reset;
}

std::string text_of(const ArgumentPlace& place) {
  return "argument " + std::to_string(place.number) +
         text_of(MessageName{place.function == nullptr ? nullptr : place.function->name, " of "});
}

std::string Sema::assign_message(AssignContext context, QualType to, QualType from, std::string_view problem,
                                 const ArgumentPlace& where) {
  const std::string p(problem);
  switch (context) {
    case AssignContext::assignment:
      return "assignment to " + quoted(to) + " from " + p + " type " + quoted(from);
    case AssignContext::initialization:
      return "initialization of " + quoted(to) + " from " + p + " type " + quoted(from);
    case AssignContext::returning:
      return "returning " + quoted(from) + " from a function with " + p + " return type " + quoted(to);
    case AssignContext::argument:
      return "passing " + text_of(where) + " from " + p + " type: expected " + quoted(to) +
             " but argument is of type " + quoted(from);
  }
  return p;
}

namespace {

std::string int_conversion_message(Sema::AssignContext context, QualType to, QualType from,
                                   const ArgumentPlace& where) {
  const bool makes_pointer = to->is_pointer();
  const std::string what =
      makes_pointer ? "makes pointer from integer without a cast" : "makes integer from pointer without a cast";
  switch (context) {
    case Sema::AssignContext::assignment:
      return "assignment to " + quoted(to) + " from " + quoted(from) + " " + what;
    case Sema::AssignContext::initialization:
      return "initialization of " + quoted(to) + " from " + quoted(from) + " " + what;
    case Sema::AssignContext::returning:
      return "returning " + quoted(from) + " from a function with return type " + quoted(to) + " " + what;
    case Sema::AssignContext::argument:
      return "passing " + text_of(where) + " " + what + ": expected " + quoted(to) + " but argument is of type " +
             quoted(from);
  }
  return what;
}

std::string doing(Sema::AssignContext context) {
  switch (context) {
    case Sema::AssignContext::assignment:
      return "assignment";
    case Sema::AssignContext::initialization:
      return "initialization";
    case Sema::AssignContext::returning:
      return "return";
    case Sema::AssignContext::argument:
      return "argument passing";
  }
  return "conversion";
}

}  // namespace

namespace {

std::string layout_text(std::uint64_t block) { return block == 0 ? "[] (indefinite)" : std::to_string(block); }

// The function that stands there without being called; null if there is none.
const FunctionDecl* uncalled(const Expr* e) {
  while (e->kind == ExprKind::paren || e->kind == ExprKind::cast) {
    const auto* cast = expr_cast<CastExpr>(e);
    if (cast != nullptr && !cast->implicit) return nullptr;
    e = cast != nullptr ? cast->operand : static_cast<const ParenExpr*>(e)->inner;
  }
  const auto* ref = expr_cast<DeclRef>(e);
  return ref == nullptr ? nullptr : decl_cast<FunctionDecl>(ref->decl);
}

bool is_call_of_malloc(const Expr* e) {
  const auto* call = expr_cast<CallExpr>(e);
  if (call == nullptr || call->direct == nullptr) return false;
  const std::string_view name = call->direct->name->text;
  return name == "malloc" || name == "calloc" || name == "realloc";
}

}  // namespace

std::string advice_on_call(const Expr* e) {
  const FunctionDecl* function = uncalled(e);
  if (function == nullptr) return {};
  const std::string name(function->name->text);
  return "; " + quoted(name) + " is a function: call it, as " + quoted(name + "(...)");
}

// Behind the message about a value that does not convert to a pointer or integer: what may have been meant.
std::string Sema::advice_on_conversion(const Expr* e, QualType to, Marks& marks) const {
  if (std::string advice = advice_on_call(e); !advice.empty()) return advice;
  const auto* address = expr_cast<UnaryExpr>(e);
  if (address != nullptr && address->op == UnaryOp::address_of && address->operand->type.type == to.type) {
    marks.fixits.push_back({{address->loc, address->loc + 1}, ""});
    return "; leave out the '&'";
  }
  const auto* pointer = to->as<PointerType>();
  if (pointer == nullptr) return {};
  if (pointer->pointee.is_shared() && is_call_of_malloc(e)) return "; use 'upc_alloc' for shared memory";
  const auto* load = expr_cast<CastExpr>(e);
  if (load == nullptr || load->cast_kind != CastKind::lvalue_to_rvalue || load->is_bitfield || e->type->is_pointer())
    return {};
  const QualType object = load->operand->type;
  const bool fits = pointer->pointee->is_void() || pointer->pointee.type == object.type;
  if (!fits || pointer->pointee.is_shared() != object.is_shared()) return {};
  const SourceRange range = range_of(e);
  marks.fixits.push_back({{range.begin, range.begin}, "&"});
  return "; did you mean its address, with '&'?";
}

Expr* Sema::assign_pointer(Expr* e, QualType to, AssignContext context, Loc loc, const ArgumentPlace& where) {
  const QualType from = e->type;
  const QualType a = static_cast<const PointerType*>(from.type)->pointee;
  const QualType b = static_cast<const PointerType*>(to.type)->pointee;
  const auto refuse = [&](const std::string& why) {
    const bool argument = context == AssignContext::argument;
    const std::string what = argument ? "passing " + text_of(where) + " from " : doing(context) + " of ";
    Marks marks{{range_of(e)}, {}};
    std::string advice;
    if (!where.instead.empty()) {
      advice = "; use " + quoted(where.instead);
      marks.fixits.push_back({where.name, std::string(where.instead)});
    } else if (argument && where.function != nullptr && where.function->name->text == "upc_threadof") {
      advice = "; private memory is of the thread itself, MYTHREAD";
    } else {
      advice = advice_on_conversion(e, to, marks);
    }
    error(loc, what + quoted(from) + " to " + quoted(to) + ": " + why + advice, marks);
    return error_expr(e->loc);
  };
  if (a.is_shared() != b.is_shared()) {
    return refuse(b.is_shared()
                      ? "a pointer-to-local cannot become a pointer-to-shared"
                      : "a pointer-to-shared becomes a pointer-to-local only with a cast, for memory of this thread");
  }
  const bool pts = b.is_shared();
  const bool generic = a->is_void() || b->is_void();
  if (pts && !generic && a.block_size() != b.block_size()) {
    return refuse("block sizes " + layout_text(a.block_size()) + " and " + layout_text(b.block_size()) +
                  " differ; use a " + quoted(from) + ", or a cast, which changes where the pointer moves");
  }
  const CastKind kind = pts ? pts_cast_kind(from, to) : CastKind::pointer;
  const auto result = [&] { return from.type == to.type ? e : implicit_cast(e, to.unqualified(), kind); };
  const auto plain = [&](QualType t) { return types_.strip(t, Quals::kCMask | Quals::kAccessMask); };
  const std::uint64_t dropped = a.ultimate().quals.bits & ~b.ultimate().quals.bits &
                                (Quals::kConst | Quals::kVolatile | Quals::kRestrict | Quals::kAccessMask);
  if (generic || compatible(plain(a), plain(b))) {
    if (generic && (a->is_function() || b->is_function()) && !constants_.is_null_constant(e)) {
      warn(loc, "pedantic", "ISO C forbids conversion between function pointer and 'void *'", WarnLevel::pedantic);
    }
    if ((dropped & Quals::kAccessMask) != 0 && !b.ultimate().quals.has(Quals::kAccessMask)) {
      warn(loc, "discarded-qualifiers", doing(context) + " discards 'strict' or 'relaxed' from pointer target type");
    } else if ((dropped & ~Quals::kAccessMask) != 0) {
      std::string lost;
      if ((dropped & Quals::kConst) != 0)
        lost = "const";
      else if ((dropped & Quals::kVolatile) != 0)
        lost = "volatile";
      else
        lost = "restrict";
      warn(loc, "discarded-qualifiers",
           (context == AssignContext::argument ? "passing " + text_of(where) : doing(context)) + " discards '" + lost +
               "' qualifier from pointer target type",
           WarnLevel::always, {{range_of(e)}, {}});
    }
    return result();
  }
  // Same width, different sign: quiet unless asked for.
  if (a->is_integer() && b->is_integer() && types_.size_of(a) == types_.size_of(b) && !a->is_bool() && !b->is_bool()) {
    if (TypeContext::is_signed(a.type) != TypeContext::is_signed(b.type) || a->is(TypeKind::char_) ||
        b->is(TypeKind::char_)) {
      warn(loc, "pointer-sign",
           "pointer targets in " + doing(context) + " of " + quoted(to) + " from " + quoted(from) +
               " differ in signedness",
           WarnLevel::all, {{range_of(e)}, {}});
      return result();
    }
  }
  Marks marks{{range_of(e)}, {}};
  const std::string advice = advice_on_conversion(e, to, marks);
  warn(loc, "incompatible-pointer-types", assign_message(context, to, from, "incompatible pointer", where) + advice,
       WarnLevel::always, marks);
  return result();
}

Expr* Sema::convert_for_assignment(Expr* e, QualType to, AssignContext context, Loc loc, const ArgumentPlace& where) {
  const int before = diagnostics_.shown_count();
  Expr* converted = checked_conversion(e, to, context, loc, where);
  if (diagnostics_.shown_count() == before || where.function == nullptr) return converted;
  const auto index = static_cast<std::size_t>(where.number) - 1;
  if (index >= where.function->params.size()) return converted;
  const ParamDecl* param = where.function->params[index];
  if (param->loc != kNoLoc)
    note(param->loc, "passing argument to parameter" + text_of(MessageName{param->name, " "}) + " here");
  return converted;
}

Expr* Sema::checked_conversion(Expr* e, QualType to, AssignContext context, Loc loc, const ArgumentPlace& where) {
  e = value(e);
  to = to.unqualified();
  const QualType from = e->type;
  if (from->is_unknown() || to->is_unknown()) {
    return from.type == to.type ? e : implicit_cast(e, to, CastKind::unknown);
  }
  if (from->is_void()) {
    error(e->loc, "void value not ignored as it ought to be");
    return error_expr(e->loc);
  }
  if (to->is_arithmetic() && from->is_arithmetic()) return convert(e, to);
  if (to->is_bool() && from->is_pointer()) {
    return implicit_cast(e, to, from.is_pointer_to_shared() ? CastKind::pts_to_bool : CastKind::to_bool);
  }
  if (to->is_pointer() && constants_.is_null_constant(e)) {
    if (from->is_integer()) {
      return implicit_cast(e, to, to.is_pointer_to_shared() ? CastKind::null_to_pts : CastKind::null_to_pointer);
    }
    if (to.is_pointer_to_shared()) return implicit_cast(e, to, CastKind::null_to_pts);
  }
  if (to->is_pointer() && from->is_pointer()) return assign_pointer(e, to, context, loc, where);
  const bool pts = to.is_pointer_to_shared() || from.is_pointer_to_shared();
  if ((to->is_pointer() && from->is_integer() && !from->is_bool()) || (to->is_integer() && from->is_pointer())) {
    Marks marks{{range_of(e)}, {}};
    const std::string message = int_conversion_message(context, to, from, where) + advice_on_conversion(e, to, marks);
    if (pts) {
      error(loc, message, marks);
      return error_expr(e->loc);
    }
    warn(loc, "int-conversion", message, WarnLevel::always, marks);
    return implicit_cast(e, to, to->is_pointer() ? CastKind::int_to_pointer : CastKind::pointer_to_int);
  }
  if (to->is_vector() && from->is_vector() && types_.size_of(to) == types_.size_of(from)) {
    return to.type == from.type ? e : implicit_cast(e, to, CastKind::vector);
  }
  if (compatible_unqualified(to, from)) return e;
  // A transparent union takes any of its members as an argument.
  const auto* record = to->as<RecordType>();
  if (record != nullptr && record->decl->transparent_union && context == AssignContext::argument) {
    for (const FieldDecl* field : record->decl->fields) {
      const bool null_ok = field->type->is_pointer() && constants_.is_null_constant(e);
      const bool void_ok = field->type->is_pointer() && from->is_pointer();
      if (null_ok || void_ok || compatible_unqualified(field->type, from))
        return implicit_cast(e, to, CastKind::to_union);
    }
  }
  if (context == AssignContext::argument) {
    error(loc,
          "incompatible type for " + text_of(where) + ": expected " + quoted(to) + " but argument is of type " +
              quoted(from),
          {{range_of(e)}, {}});
  } else if (context == AssignContext::returning) {
    error(loc, "incompatible types when returning type " + quoted(from) + " but " + quoted(to) + " was expected",
          {{range_of(e)}, {}});
  } else if (context == AssignContext::initialization) {
    error(loc,
          to->is_scalar() || to->is_record()
              ? (from->is_scalar() && to->is_record()
                     ? "invalid initializer"
                     : "incompatible types when initializing type " + quoted(to) + " using type " + quoted(from))
              : std::string("invalid initializer"),
          {{range_of(e)}, {}});
  } else {
    error(loc, "incompatible types when assigning to type " + quoted(to) + " from type " + quoted(from),
          {{range_of(e)}, {}});
  }
  return error_expr(e->loc);
}

}  // namespace upcc
