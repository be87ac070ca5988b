#include "sema/compat.hpp"
#include "sema/literals.hpp"
#include "sema/sema.hpp"
#include "sema/spelling.hpp"

// Primary and unary expressions (C11 6.5.1 to 6.5.3, UPC 6.3).

namespace upcc {

namespace {

const Expr* strip_parens(const Expr* e) {
  while (const auto* p = expr_cast<ParenExpr>(e)) e = p->inner;
  return e;
}

// How messages name an object that must not be changed.
std::string object_name(const Expr* e) {
  e = strip_parens(e);
  if (const auto* ref = expr_cast<DeclRef>(e)) {
    const bool param = ref->decl->kind == DeclKind::param;
    return std::string(param ? "parameter " : "variable ") + quoted(ref->decl->name->text);
  }
  if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && m->field->name != nullptr) {
    return "member " + quoted(m->field->name->text);
  }
  return "location";
}

}  // namespace

Expr* Sema::error_expr(Loc loc) { return make<ErrorExpr>(loc, types_.unknown()); }

Expr* Sema::undeclared(const Token& token, bool called) {
  Name* name = token.name;
  if (called) {
    if (FunctionDecl* f = implicit_function(token)) {
      auto* ref = make<DeclRef>(token.loc, f->type);
      ref->decl = f;
      ref->category = ValueCategory::function;
      return ref;
    }
    if (name->external == nullptr) return error_expr(token.loc);
  }
  if (!name->reported_undeclared) {
    name->reported_undeclared = true;
    undeclared_.push_back(name);
    const Hint hint = spelling_hint(unit_, name, Meaning::value);
    if (function_ == nullptr) {
      error(token.loc, quoted(name->text) + " undeclared here (not in a function)" + hint.text, marks_of(token, hint));
    } else {
      error(token.loc, quoted(name->text) + " undeclared (first use in this function)" + hint.text,
            marks_of(token, hint));
      if (undeclared_.size() == 1) {
        note(token.loc, "each undeclared identifier is reported only once for each function it appears in");
      }
    }
  }
  return error_expr(token.loc);
}

// 6.5.1 primary-expression: identifier
Expr* Sema::identifier(const Token& token, bool called) {
  Decl* decl = token.name->ordinary;
  if (decl == nullptr) decl = builtin_function(token.name);
  if (decl == nullptr) return undeclared(token, called);
  decl->used = true;
  if (decl->invalid) return error_expr(token.loc);
  auto* ref = make<DeclRef>(token.loc, decl->type);
  ref->decl = decl;
  switch (decl->kind) {
    case DeclKind::variable: {
      const auto* variable = static_cast<VarDecl*>(decl);
      ref->category = ValueCategory::lvalue;
      ref->is_register = variable->is_register;
      break;
    }
    case DeclKind::param:
      ref->category = ValueCategory::lvalue;
      ref->is_register = static_cast<ParamDecl*>(decl)->is_register;
      break;
    case DeclKind::function:
      ref->category = ValueCategory::function;
      break;
    default:
      break;
  }
  return ref;
}

// 6.4.2.2 __func__ and its GNU spellings: a static array of const char.
Expr* Sema::function_name(const Token& token) {
  const std::string_view text = function_ == nullptr || function_->name == nullptr ? "" : function_->name->text;
  if (function_ == nullptr) {
    warn(token.loc, "", quoted(token.name->text) + " is not defined outside of function scope");
  }
  const QualType element = types_.char_type().with(Quals::kConst);
  auto* s =
      make<StringLiteral>(token.loc, types_.array_of(element, {static_cast<std::int64_t>(text.size() + 1), false}));
  s->bytes = text;
  s->width = 1;
  s->category = ValueCategory::lvalue;
  return s;
}

Expr* Sema::number(const Token& token) {
  const NumberValue v = parse_number({unit_.source.begin() + token.loc, token.length});
  if (!v.error.empty()) {
    error(token.loc, v.error);
    return error_expr(token.loc);
  }
  if (!v.warning.empty()) warn(token.loc, "", v.warning);
  const QualType type = types_.builtin(v.type);
  if (v.floating || v.imaginary) {
    auto* f = make<FloatLiteral>(token.loc, v.imaginary ? types_.complex_of(type.type) : type);
    f->value = v.floating ? v.real : static_cast<long double>(v.integer);
    f->imaginary = v.imaginary;
    return f;
  }
  auto* i = make<IntLiteral>(token.loc, type);
  i->value = v.integer;
  return i;
}

Expr* Sema::character(const Token& token) {
  if ((token.flags & Token::kBad) != 0) return error_expr(token.loc);
  const CharValue v = parse_character({unit_.source.begin() + token.loc, token.length});
  if (!v.error.empty()) {
    error(token.loc, v.error);
    return error_expr(token.loc);
  }
  if (!v.warning.empty()) warn(token.loc, "", v.warning);
  auto* i = make<IntLiteral>(token.loc, types_.builtin(v.type));
  i->value = static_cast<UInt128>(v.value);
  return i;
}

// 6.4.5: adjacent literals are one, with the prefix of any of them.
Expr* Sema::strings(std::span<const Token> tokens) {
  char prefix = '\0';
  for (const Token& token : tokens) {
    if ((token.flags & Token::kBad) != 0) return error_expr(token.loc);
    const char p = text_prefix({unit_.source.begin() + token.loc, token.length});
    if (p == '\0') continue;
    if (prefix != '\0' && prefix != p) {
      error(token.loc, "unsupported non-standard concatenation of string literals");
      return error_expr(token.loc);
    }
    prefix = p;
  }
  TextValue v;
  for (const Token& token : tokens) {
    decode_string({unit_.source.begin() + token.loc, token.length}, prefix, v);
    if (!v.error.empty()) {
      error(token.loc, v.error);
      return error_expr(token.loc);
    }
    if (!v.warning.empty()) warn(token.loc, "", v.warning);
    v.warning.clear();
  }
  const auto count = static_cast<std::int64_t>(v.bytes.size() / v.width) + 1;
  auto* s = make<StringLiteral>(tokens[0].loc, types_.array_of(types_.builtin(v.element), {count, false}));
  s->bytes = unit_.arena.copy(v.bytes);
  s->width = v.width;
  s->category = ValueCategory::lvalue;
  return s;
}

// UPC 6.3.2: an int value, no lvalue.
Expr* Sema::mythread(Loc loc) {
  auto* e = make<MythreadExpr>(loc, types_.int_type());
  e->uses_upc = true;
  return e;
}

// UPC 6.3.1: an int value, constant when translation is static.
Expr* Sema::threads(Loc loc) {
  auto* e = make<ThreadsExpr>(loc, types_.int_type());
  e->uses_upc = true;
  return e;
}

Expr* Sema::paren(Expr* inner, Loc loc) {
  auto* e = make<ParenExpr>(loc, inner->type);
  e->inner = inner;
  e->category = inner->category;
  e->is_bitfield = inner->is_bitfield;
  e->is_register = inner->is_register;
  adopt(e, inner);
  return e;
}

std::string_view threads_keyword(const Expr* e) {
  e = strip_parens(e);
  return e->kind == ExprKind::mythread ? "MYTHREAD" : e->kind == ExprKind::threads ? "THREADS" : std::string_view();
}

bool Sema::modifiable(const Expr* e, Loc loc, std::string_view what) {
  if (e->type->is_unknown()) return true;
  if (!e->is_lvalue()) {
    const std::string_view keyword = threads_keyword(e);
    error(loc, "lvalue required as " +
                   std::string(what == "assignment"  ? "left operand of assignment"
                               : what == "increment" ? "increment operand"
                               : what == "decrement" ? "decrement operand"
                                                     : what) +
                   (keyword.empty() ? "" : "; " + quoted(keyword) + " is a value that cannot be changed"));
    return false;
  }
  if (e->type->is_array()) {
    error(loc, std::string(what) + " to expression with array type");
    return false;
  }
  const auto* record = e->type->as<RecordType>();
  if (e->type.quals.has(Quals::kConst)) {
    error(loc, std::string(what) + " of read-only " + object_name(e));
    return false;
  }
  if (record != nullptr && record->decl->has_const_member) {
    error(loc, std::string(what) + " of read-only " + object_name(e));
    return false;
  }
  return true;
}

// 6.5.3.2 unary &, UPC 6.4.4: the address of a shared object is a pointer-to-shared with the layout of its lvalue;
// members of shared records have been given the indefinite layout by member().
Expr* Sema::address_of(Expr* operand, Loc loc) {
  if (operand->type->is_unknown()) return error_expr(loc);
  if (operand->category == ValueCategory::rvalue) {
    error(loc, "lvalue required as unary '&' operand");
    return error_expr(loc);
  }
  if (operand->is_bitfield) {
    const auto* m = expr_cast<MemberExpr>(strip_parens(operand));
    error(loc, std::string("cannot take address of ") + (operand->type.is_shared() ? "shared " : "") + "bit-field" +
                   (m != nullptr && m->field->name != nullptr ? " " + quoted(m->field->name->text) : ""));
    return error_expr(loc);
  }
  if (operand->is_register) {
    const auto* ref = expr_cast<DeclRef>(strip_parens(operand));
    error(loc,
          "address of register variable" + (ref != nullptr ? " " + quoted(ref->decl->name->text) : "") + " requested");
    return error_expr(loc);
  }
  auto* e = make<UnaryExpr>(loc, types_.pointer_to(operand->type));
  e->op = UnaryOp::address_of;
  e->operand = operand;
  adopt(e, operand);
  return e;
}

Expr* Sema::dereference(Expr* operand, Loc loc) {
  operand = value(operand);
  if (operand->type->is_unknown()) return error_expr(loc);
  const auto* p = operand->type->as<PointerType>();
  if (p == nullptr) {
    error(loc, "invalid type argument of unary '*' (have " + quoted(operand->type) + ")");
    return error_expr(loc);
  }
  if (p->pointee->is_void()) {
    if (p->pointee.is_shared()) {
      error(loc, "dereferencing a pointer to 'shared void'");
      return error_expr(loc);
    }
    warn(loc, "", "dereferencing 'void *' pointer");
  }
  auto* e = make<UnaryExpr>(loc, p->pointee);
  e->op = UnaryOp::deref;
  e->operand = operand;
  e->category = p->pointee->is_function() ? ValueCategory::function : ValueCategory::lvalue;
  adopt(e, operand);
  return e;
}

// UPC 6.4.2: whether a pointer may move; says why not.
bool Sema::check_arithmetic_pointer(QualType pointer, Loc loc) {
  const QualType pointee = static_cast<const PointerType*>(pointer.type)->pointee;
  if (pointee.is_shared()) {
    if (pointee->is_void()) {
      error(loc, "arithmetic on a pointer of type 'shared void *'; cast it to a pointer to the type of the elements");
      return false;
    }
  } else if (pointee->is_void()) {
    warn(loc, "pointer-arith", "pointer of type 'void *' used in arithmetic", WarnLevel::pedantic);
    return true;
  } else if (pointee->is_function()) {
    warn(loc, "pointer-arith", "pointer to a function used in arithmetic", WarnLevel::pedantic);
    return true;
  }
  if (!TypeContext::is_complete(pointee)) {
    error(loc, "arithmetic on a pointer to an " + std::string(incomplete_word(pointee)) + " type " + quoted(pointee));
    return false;
  }
  return true;
}

Expr* Sema::increment(UnaryOp op, Expr* operand, Loc loc) {
  if (operand->type->is_unknown()) return error_expr(loc);
  const bool up = op == UnaryOp::pre_inc || op == UnaryOp::post_inc;
  const std::string_view what = up ? "increment" : "decrement";
  const QualType type = operand->type;
  if (!type->is_scalar() && !type->is_vector() && !type->is_array()) {
    error(loc, "wrong type argument to " + std::string(what));
    return error_expr(loc);
  }
  if (!modifiable(operand, loc, what)) return error_expr(loc);
  if (type->is_pointer() && !check_arithmetic_pointer(type, loc)) return error_expr(loc);
  auto* e = make<UnaryExpr>(loc, type.unqualified());
  e->op = op;
  e->operand = operand;
  e->access = access_of(type);
  e->is_bitfield = operand->is_bitfield;
  adopt(e, operand);
  e->has_side_effects = true;
  return e;
}

Expr* Sema::unary(UnaryOp op, Expr* operand, Loc loc) {
  switch (op) {
    case UnaryOp::address_of:
      return address_of(operand, loc);
    case UnaryOp::deref:
      return dereference(operand, loc);
    case UnaryOp::pre_inc:
    case UnaryOp::pre_dec:
    case UnaryOp::post_inc:
    case UnaryOp::post_dec:
      return increment(op, operand, loc);
    default:
      break;
  }
  if (operand->type->is_unknown()) return error_expr(loc);
  auto* e = make<UnaryExpr>(loc, operand->type);
  e->op = op;
  if (op == UnaryOp::extension) {
    e->category = operand->category;
    e->is_bitfield = operand->is_bitfield;
    e->is_register = operand->is_register;
  } else if (op == UnaryOp::real || op == UnaryOp::imag) {
    if (!operand->type->is_arithmetic()) {
      error(loc, std::string("wrong type argument to ") + (op == UnaryOp::real ? "__real" : "__imag"));
      return error_expr(loc);
    }
    if (!operand->is_lvalue() || !operand->type->is_complex()) operand = value(operand);
    e->category = operand->category;
    e->type = operand->type;
    if (const auto* c = operand->type->as<ComplexType>()) e->type = {c->element, operand->type.quals};
  } else {
    operand = op == UnaryOp::logical_not ? value(operand) : promote(value(operand));
    if (operand->type->is_unknown()) return error_expr(loc);
    const QualType type = operand->type;
    const bool vector = type->is_vector();
    bool ok = type->is_arithmetic() || vector;
    std::string_view what = "unary plus";
    if (op == UnaryOp::minus) what = "unary minus";
    if (op == UnaryOp::logical_not) {
      ok = type->is_scalar() || vector;
      what = "unary exclamation mark";
    } else if (op == UnaryOp::bit_not) {
      ok = type->is_integer() || type->is_complex() || vector;
      what = "bit-complement";
    }
    if (!ok) {
      error(loc, "wrong type argument to " + std::string(what));
      return error_expr(loc);
    }
    e->type = op == UnaryOp::logical_not && !vector ? types_.int_type() : type.unqualified();
  }
  e->operand = operand;
  adopt(e, operand);
  return e;
}

// GNU &&label
Expr* Sema::label_address(Name* name, Loc loc) {
  auto* e = make<LabelAddressExpr>(loc, types_.pointer_to(types_.void_type()));
  if (function_ == nullptr) {
    error(loc, "label " + quoted(name->text) + " referenced outside of any function");
    return error_expr(loc);
  }
  e->label = use_label(name, loc);
  e->label->address_taken = true;
  return e;
}

// GNU ({ ... }): the value of the last statement when it is an expression.
Expr* Sema::statement_expression(CompoundStmt* body, Loc loc) {
  QualType type = types_.void_type();
  if (!body->items.empty()) {
    Stmt* last = body->items.back();
    while (auto* label = stmt_cast<LabelStmt>(last)) last = label->body;
    if (const auto* s = stmt_cast<ExprStmt>(last); s != nullptr && s->expr != nullptr)
      type = s->expr->type.unqualified();
  }
  auto* e = make<StatementExpr>(loc, type);
  e->body = body;
  e->uses_upc = e->uses_upc || body->uses_upc;
  e->has_side_effects = true;
  return e;
}

Expr* Sema::compound_literal(QualType type, Expr* init, Loc loc) {
  if (type.is_shared()) {
    error(loc, "a compound literal of shared type " + quoted(type) + " would be an automatic shared object");
    return error_expr(loc);
  }
  auto* e = make<CompoundLiteralExpr>(loc, type);
  e->init = init;
  e->file_scope = function_ == nullptr;
  e->category = ValueCategory::lvalue;
  adopt(e, init);
  e->has_side_effects = e->has_side_effects || !e->file_scope;
  return e;
}

}  // namespace upcc
