
#include "sema/builtin_table.hpp"
#include "sema/compat.hpp"
#include "sema/sema.hpp"
#include "sema/spelling.hpp"

// The compiler's own functions: __builtin_*, __sync_*, __atomic_*, clang's __c11_atomic_*. Those with a fixed type come
// from a table; the polymorphic ones get their type from their arguments here. Target builtins that we do not model
// have the unknown type: they are passed on to the back end, which knows them.

namespace upcc {

namespace {

QualType letter_type(TypeContext& types, char c) {
  const auto constant = [&](TypeKind kind) { return types.pointer_to(types.builtin(kind).with(Quals::kConst)); };
  switch (c) {
    case 'v':
      return types.void_type();
    case 'b':
      return types.builtin(TypeKind::bool_);
    case 'c':
      return types.char_type();
    case 'i':
      return types.int_type();
    case 'u':
    case 'w':
      return types.builtin(TypeKind::uint);
    case 'l':
      return types.builtin(TypeKind::long_);
    case 'U':
    case 'z':
      return types.size_type();
    case 'L':
      return types.builtin(TypeKind::longlong);
    case 'Q':
      return types.builtin(TypeKind::ulonglong);
    case 'H':
      return types.builtin(TypeKind::ushort);
    case 'f':
      return types.builtin(TypeKind::float_);
    case 'd':
      return types.builtin(TypeKind::double_);
    case 'D':
      return types.builtin(TypeKind::longdouble);
    case 'q':
      return types.builtin(TypeKind::float128);
    case 'F':
      return types.complex_of(types.builtin(TypeKind::float_).type);
    case 'E':
      return types.complex_of(types.builtin(TypeKind::double_).type);
    case 'G':
      return types.complex_of(types.builtin(TypeKind::longdouble).type);
    case 'p':
      return types.pointer_to(types.void_type());
    case 'P':
      return constant(TypeKind::void_);
    case 's':
      return types.pointer_to(types.char_type());
    case 'S':
      return constant(TypeKind::char_);
    case 'I':
      return types.pointer_to(types.int_type());
    case 'V':
      return types.pointer_to(static_cast<const ArrayType*>(types.va_list_type().type)->element);
    default:
      return types.unknown();
  }
}

QualType signature_type(TypeContext& types, std::string_view signature) {
  const bool noreturn = signature.starts_with('~');
  if (noreturn) signature.remove_prefix(1);
  if (signature.starts_with('?')) return types.unknown();
  std::vector<QualType> params;
  bool variadic = false;
  for (const char c : signature.substr(1)) {
    if (c == '.')
      variadic = true;
    else
      params.push_back(letter_type(types, c));
  }
  return types.function(letter_type(types, signature[0]), params, variadic, true, noreturn);
}

FunctionDecl* new_builtin(Arena& arena, Name* name, QualType type) {
  auto* f = arena.make<FunctionDecl>();
  f->kind = DeclKind::function;
  f->name = name;
  f->type = type;
  f->is_builtin = true;
  f->in_system_header = true;
  return f;
}

bool is_family(std::string_view name) {
  return name.starts_with("__builtin_") || name.starts_with("__sync_") || name.starts_with("__atomic_") ||
         name.starts_with("__c11_atomic_");
}

}  // namespace

FunctionDecl* Sema::builtin_function(Name* name) {
  if (!is_family(name->text)) return nullptr;
  QualType type = types_.unknown();
  if (name->text.starts_with("__builtin_")) {
    const std::string signature = builtin_signature(name->text.substr(10));
    if (!signature.empty()) type = signature_type(types_, signature);
  }
  // Polymorphic or unknown: a function of unspecified result, seen only by builtin_call().
  if (type->is_unknown()) type = types_.function(types_.unknown(), {}, true, false, false);
  FunctionDecl* f = new_builtin(unit_.arena, name, type);
  name->ordinary = f;
  return f;
}

// A call of an undeclared name declares it in the innermost block, with external linkage: an error in C99, but a
// warning in gcc 12. Told once.
FunctionDecl* Sema::implicit_function(const Token& token) {
  Name* name = token.name;
  if (name->external != nullptr) {
    auto* known = decl_cast<FunctionDecl>(name->external);
    if (known != nullptr) bind(name, known);
    return known;
  }
  if (name->text.starts_with("upc_") || name->text.starts_with("bupc_")) {
    // Calling one as C takes it, with its int result, would give wrong numbers.
    const Hint hint = spelling_hint(unit_, name, Meaning::function);
    error(token.loc, "function " + quoted(name->text) + " is not declared" + hint.text, marks_of(token, hint));
    return nullptr;
  }
  const std::string signature = builtin_signature(name->text);
  const bool library = !signature.empty() && signature[0] != '?';
  const Hint hint = spelling_hint(unit_, name, Meaning::function);
  if (!warn(token.loc, "implicit-function-declaration",
            "implicit declaration of function " + quoted(name->text) + hint.text, WarnLevel::always,
            marks_of(token, hint))) {
    if (function_ == nullptr) return nullptr;
  }
  const QualType type =
      library ? signature_type(types_, signature) : types_.function(types_.int_type(), {}, false, false, false);
  FunctionDecl* f = new_builtin(unit_.arena, name, type);
  f->is_builtin = false;
  f->is_implicit = true;
  f->loc = token.loc;
  bind(name, f);
  name->external = f;
  return f;
}

namespace {

// The pointee of the first argument of an atomic operation.
QualType atomic_object(TypeContext& types, const Expr* arg) {
  const auto* p = arg->type->as<PointerType>();
  return p == nullptr ? types.unknown() : p->pointee.unqualified();
}

enum class AtomicResult : std::uint8_t { object, boolean, nothing, other };

AtomicResult clang_atomic_result(std::string_view operation) {
  if (operation.starts_with("compare_exchange") || operation == "is_lock_free") return AtomicResult::boolean;
  if (operation == "init" || operation == "store" || operation.ends_with("_fence")) return AtomicResult::nothing;
  return AtomicResult::object;
}

AtomicResult atomic_result(std::string_view name) {
  constexpr std::string_view clang = "__c11_atomic_";
  if (name.starts_with(clang)) return clang_atomic_result(name.substr(clang.size()));
  if (name.starts_with("__sync_bool_") || name.starts_with("__atomic_compare_exchange") ||
      name == "__atomic_test_and_set" || name.ends_with("_lock_free")) {
    return AtomicResult::boolean;
  }
  if (name == "__atomic_load" || name == "__atomic_store" || name == "__atomic_store_n" ||
      name == "__atomic_exchange" || name == "__atomic_clear" || name.ends_with("_fence") ||
      name == "__sync_synchronize" || name == "__sync_lock_release") {
    return AtomicResult::nothing;
  }
  if (name.starts_with("__sync_") || name.starts_with("__atomic_")) return AtomicResult::object;
  return AtomicResult::other;
}

}  // namespace

Expr* Sema::builtin_call(FunctionDecl* builtin, CallExpr* call, std::span<Expr*> args, Loc loc) {
  const std::string_view name = builtin->name->text;
  const auto finish = [&](QualType type) -> Expr* {
    call->args = unit_.arena.copy(std::span<Expr* const>(args.data(), args.size()));
    for (const Expr* arg : args) adopt(call, arg);
    call->type = type;
    return call;
  };
  const FunctionType* f = builtin->function_type();
  if (!f->result->is_unknown()) {
    const std::size_t wanted = f->params.size();
    if (args.size() < wanted || (args.size() > wanted && !f->variadic)) {
      error(loc,
            std::string("too ") + (args.size() < wanted ? "few" : "many") + " arguments to function " + quoted(name));
    }
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i < wanted && args[i]->type.is_pointer_to_shared() && f->params[i]->is_pointer()) {
        args[i] = convert_for_assignment(args[i], f->params[i], AssignContext::argument, args[i]->loc,
                                         {.number = static_cast<int>(i) + 1, .function = builtin});
      } else if (i < wanted && !(name.ends_with("_overflow") && f->params[i]->is_pointer())) {
        args[i] = convert_for_assignment(args[i], f->params[i], AssignContext::argument, args[i]->loc,
                                         {.number = static_cast<int>(i) + 1, .function = builtin});
      } else {
        args[i] = default_promote(args[i]);
      }
    }
    return finish(f->result);
  }
  const bool va = name.starts_with("__builtin_va_");
  for (std::size_t i = 0; i < args.size(); ++i) {
    // va_list arguments and operands that are only inspected keep their type.
    if (va || args[i]->type->is_void()) continue;
    if (name == "__builtin_constant_p" || name == "__builtin_classify_type") {
      if (args[i]->type->is_array() || args[i]->type->is_function()) args[i] = value(args[i]);
      continue;
    }
    args[i] = value(args[i]);
  }
  if (va) {
    if (name == "__builtin_va_start" && function_ != nullptr && !function_->function_type()->variadic) {
      error(loc, "'va_start' used in function with fixed arguments");
    }
    return finish(types_.void_type());
  }
  const AtomicResult atomic = atomic_result(name);
  if (atomic != AtomicResult::other) {
    if (!args.empty() && args[0]->type.is_pointer_to_shared()) {
      error(args[0]->loc, "atomic builtin " + quoted(name) + " on a pointer-to-shared; use <upc_atomic.h>");
      return error_expr(loc);
    }
    if (atomic == AtomicResult::boolean) return finish(types_.builtin(TypeKind::bool_));
    if (atomic == AtomicResult::nothing) return finish(types_.void_type());
    return finish(args.empty() ? types_.unknown() : atomic_object(types_, args[0]));
  }
  if (name == "__builtin_complex" && args.size() == 2 && args[0]->type->is_real_floating()) {
    return finish(types_.complex_of(args[0]->type.type));
  }
  if (name == "__builtin_shuffle" && !args.empty()) return finish(args[0]->type.unqualified());
  if (name == "__builtin_speculation_safe_value" && !args.empty()) return finish(args[0]->type.unqualified());
  if (name == "__builtin_tgmath") {
    // The function whose parameter has the common type of the generic arguments gives the result.
    QualType common = types_.int_type();
    for (const Expr* arg : args) {
      if (arg->type->is_arithmetic())
        common = usual_type(common, arg->type->is_integer() ? types_.builtin(TypeKind::double_) : arg->type);
    }
    for (const Expr* arg : args) {
      const auto* p = arg->type->as<PointerType>();
      const auto* candidate = p == nullptr ? nullptr : p->pointee->as<FunctionType>();
      if (candidate == nullptr) continue;
      for (const QualType& param : candidate->params) {
        if (param.type == common.type) return finish(candidate->result.unqualified());
      }
    }
    return finish(types_.unknown());
  }
  const std::string signature = name.starts_with("__builtin_") ? builtin_signature(name.substr(10)) : std::string();
  if (signature.size() == 2) return finish(letter_type(types_, signature[1]));
  return finish(types_.unknown());
}

}  // namespace upcc
