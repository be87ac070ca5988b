#include <algorithm>
#include <array>

#include "sema/compat.hpp"
#include "sema/sema.hpp"

// Postfix expressions (C11 6.5.2): calls, members, subscripts; and offsetof, va_arg.

namespace upcc {

namespace {

// Functions of the C library whose further arguments are as a format says.
bool takes_format(std::string_view name) {
  if (name.starts_with("__builtin_")) name.remove_prefix(10);
  static constexpr std::array<std::string_view, 14> kNames{"printf",   "fprintf", "sprintf", "snprintf", "dprintf",
                                                           "asprintf", "scanf",   "fscanf",  "sscanf",   "syslog",
                                                           "err",      "errx",    "warn",    "warnx"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

enum class Memory : std::uint8_t { unknown, local, shared };

Memory memory_at(const Expr* pointer) {
  const auto* p = pointer->type->as<PointerType>();
  if (p == nullptr && !pointer->type->is_array()) return Memory::unknown;
  return (p != nullptr ? p->pointee : pointer->type).is_shared() ? Memory::shared : Memory::local;
}

// The function that copies, sets or frees memory as `name` does, but takes such pointers; empty: `name` itself, or
// none.
std::string function_for(std::string_view name, std::span<Expr* const> args) {
  if (args.empty()) return {};
  const Memory first = memory_at(args[0]);
  std::string out;
  if (name == "free" || name == "upc_free" || name == "upc_all_free") {
    if (first == Memory::unknown || (first == Memory::shared) == (name != "free")) return {};
    return first == Memory::shared ? "upc_free" : "free";
  }
  if (args.size() < 3) return {};
  const Memory second = memory_at(args[1]);
  std::string_view form;  // _nb, _nbi
  std::string_view base = name;
  if (const auto at = name.find("_nb"); name.starts_with("upc_mem") && at != std::string_view::npos) {
    base = name.substr(0, at);
    form = name.substr(at);
  }
  if (base == "memset" || base == "upc_memset") {
    if (first == Memory::unknown) return {};
    out = first == Memory::shared ? "upc_memset" : "memset";
  } else if (base == "memcpy" || base == "memmove" || base == "upc_memcpy" || base == "upc_memget" ||
             base == "upc_memput") {
    if (first == Memory::unknown || second == Memory::unknown) return {};
    if (first == Memory::shared) out = second == Memory::shared ? "upc_memcpy" : "upc_memput";
    if (first == Memory::local) out = second == Memory::shared ? "upc_memget" : "memcpy";
  }
  const bool local = out == "memcpy" || out == "memset";
  if (out.empty() || out == base || (local && !form.empty())) return {};
  return out + std::string(form);
}

}  // namespace

// An argument that no parameter says the type of: of an undeclared function, or for `...`.
void Sema::check_unprototyped(const FunctionDecl* function, const Expr* arg, std::size_t index) {
  if (!arg->type.is_pointer_to_shared()) return;
  const std::string name = quoted(function->name->text);
  if (function->is_implicit) {
    error(arg->loc, "argument " + std::to_string(index + 1) + " of " + name + " is a pointer-to-shared " +
                        quoted(arg->type) + ", and " + name + " is not declared: declare it before the call");
  } else if (function->in_system_header && takes_format(function->name->text)) {
    warn(arg->loc, "format",
         "no format stands for a pointer-to-shared: argument " + std::to_string(index + 1) + " of " + name +
             " has type " + quoted(arg->type) +
             "; its parts are what upc_threadof, upc_phaseof and upc_addrfield give");
  }
}

// 6.5.2.2
Expr* Sema::call(Expr* callee, std::span<Expr*> args, Loc loc, Loc close) {
  auto* e = make<CallExpr>(loc, types_.unknown());
  const auto* ref = expr_cast<DeclRef>(callee);
  FunctionDecl* direct = ref == nullptr ? nullptr : decl_cast<FunctionDecl>(ref->decl);
  const Loc callee_loc = callee->loc;
  e->callee = value(callee);
  e->direct = direct;
  e->has_side_effects = true;
  adopt(e, e->callee);
  if (direct != nullptr && direct->is_builtin) return builtin_call(direct, e, args, loc);
  const auto* p = e->callee->type->as<PointerType>();
  const auto* f = p == nullptr ? nullptr : p->pointee->as<FunctionType>();
  if (f == nullptr) {
    const std::string_view keyword = threads_keyword(callee);
    if (!keyword.empty()) {
      error(callee_loc, quoted(keyword) + " is a value and no function; leave out '()'");
    } else if (!e->callee->type->is_unknown()) {
      error(callee_loc, "called object" + (ref != nullptr ? " " + quoted(ref->decl->name->text) : std::string()) +
                            " is not a function or function pointer");
    }
    for (Expr*& arg : args) arg = value(arg);
    e->args = unit_.arena.copy(std::span<Expr* const>(args.data(), args.size()));
    for (const Expr* arg : args) adopt(e, arg);
    return e;
  }
  const MessageName name{direct == nullptr ? nullptr : direct->name, " "};
  const std::size_t wanted = f->params.size();
  if (f->has_prototype && args.size() != wanted && !(f->variadic && args.size() > wanted)) {
    const bool few = args.size() < wanted;
    error(few ? (ref != nullptr ? callee_loc : close) : callee_loc,
          std::string("too ") + (few ? "few" : "many") + " arguments to function" +
              (name.name == nullptr ? " " + quoted(p->pointee) : text_of(name)) + ": expected " +
              (f->variadic ? "at least " : "") + std::to_string(wanted) + ", have " + std::to_string(args.size()),
          few ? Marks{} : Marks{{range_of(callee), {range_of(args[wanted]).begin, range_of(args.back()).end}}, {}});
    if (direct != nullptr && direct->loc != kNoLoc) note(direct->loc, "declared here");
  }
  const std::string instead = direct == nullptr ? std::string() : function_for(direct->name->text, args);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (f->has_prototype && i < wanted) {
      const int before = diagnostics_.shown_count();
      args[i] = convert_for_assignment(args[i], f->params[i], AssignContext::argument, args[i]->loc,
                                       {static_cast<int>(i) + 1, direct, instead, range_of(callee)});
      // The other function takes all of them.
      if (diagnostics_.shown_count() != before && !instead.empty()) {
        for (Expr* arg : args.subspan(i + 1)) value(arg);
        e->args = unit_.arena.copy(std::span<Expr* const>(args.data(), i + 1));
        e->type = f->result.unqualified();
        return e;
      }
    } else {
      args[i] = default_promote(args[i]);
      if (direct != nullptr) check_unprototyped(direct, args[i], i);
      if (args[i]->type->is_void()) {
        error(args[i]->loc, "invalid use of void expression");
      }
    }
    adopt(e, args[i]);
  }
  if (direct != nullptr && direct->wants_place) {
    check_copy(direct, args);
    check_file_transfer(direct, args);
    check_free(direct, args);
  }
  e->args = unit_.arena.copy(std::span<Expr* const>(args.data(), args.size()));
  e->type = f->result.unqualified();
  e->uses_upc = e->uses_upc || mentions_shared(e->type) || (direct != nullptr && direct->wants_place);
  if (!e->type->is_void() && !TypeContext::is_complete(e->type)) {
    error(loc, "invalid use of " + incomplete_name(e->type));
    return error_expr(loc);
  }
  return e;
}

// Finds a member, through unnamed ones; `path` gets the steps from the outside in.
FieldDecl* Sema::find_field(const RecordDecl* record, const Name* name, std::vector<FieldDecl*>& path) const {
  for (FieldDecl* field : record->fields) {
    if (field->name == name) {
      path.push_back(field);
      return field;
    }
  }
  for (FieldDecl* field : record->fields) {
    const auto* inner = field->is_anonymous_record() && field->type ? field->type->as<RecordType>() : nullptr;
    if (inner == nullptr) continue;
    path.push_back(field);
    if (FieldDecl* found = find_field(inner->decl, name, path)) return found;
    path.pop_back();
  }
  return nullptr;
}

// 6.5.2.3, UPC 6.4.4: a member of a shared record has the record's qualifiers and the indefinite layout.
Expr* Sema::member(Expr* base, bool arrow, Name* name, Loc loc, Loc name_loc) {
  if (arrow || base->type->is_array()) base = value(base);
  if (base->type->is_unknown()) return error_expr(loc);
  QualType object = base->type;
  if (arrow) {
    const auto* p = base->type->as<PointerType>();
    if (p == nullptr) {
      Marks marks{{range_of(base)}, {}};
      if (base->type->is_record()) marks.fixits.push_back({{loc, loc + 2}, "."});
      error(loc,
            "invalid type argument of '->' (have " + quoted(base->type) + ")" +
                (marks.fixits.empty() ? "" : "; did you mean to use '.'?"),
            marks);
      return error_expr(loc);
    }
    object = p->pointee;
  }
  const auto* record = object->as<RecordType>();
  if (record == nullptr) {
    const auto* p = object->as<PointerType>();
    if (!arrow && p != nullptr && p->pointee->is_record()) {
      error(loc, quoted(object) + " is a pointer; did you mean to use '->'?", {{}, {{{loc, loc + 1}, "->"}}});
    } else {
      error(loc, "request for member " + quoted(name->text) + " in something not a structure or union");
    }
    return error_expr(loc);
  }
  if (!record->decl->complete) {
    error(loc, "invalid use of " + incomplete_name(object), {{range_of(base)}, {}});
    return error_expr(loc);
  }
  std::vector<FieldDecl*> path;
  if (find_field(record->decl, name, path) == nullptr) {
    error(name_loc, quoted(object.unqualified()) + " has no member named " + quoted(name->text));
    return error_expr(loc);
  }
  Expr* at = base;
  for (FieldDecl* field : path) {
    Quals inherited;
    inherited.bits = object.quals.bits & (Quals::kConst | Quals::kVolatile | Quals::kShared | Quals::kAccessMask);
    object = types_.qualify(field->type, inherited);
    const bool last = field == path.back();
    auto* e = make<MemberExpr>(last ? name_loc : loc, object);
    e->base = at;
    e->field = field;
    e->arrow = arrow;
    e->implicit = !last;
    e->tokens = base->tokens;
    e->category = arrow ? ValueCategory::lvalue : at->category;
    e->is_bitfield = field->is_bitfield;
    e->is_register = !arrow && at->is_register;
    adopt(e, at);
    at = e;
    arrow = false;
  }
  return at;
}

// 6.5.2.1
Expr* Sema::subscript(Expr* base, Expr* index, Loc loc) {
  if (base->type->is_vector()) {
    index = promote(value(index));
    const auto* v = static_cast<const VectorType*>(base->type.type);
    Quals q;
    q.bits = base->type.quals.bits & (Quals::kCMask | Quals::kShared | Quals::kAccessMask);
    auto* e = make<SubscriptExpr>(loc, types_.qualify(QualType{v->element, {}}, q));
    e->base = base;
    e->index = index;
    e->category = base->category;
    adopt(e, base);
    adopt(e, index);
    return e;
  }
  base = value(base);
  index = value(index);
  bool swapped = false;
  if (!base->type->is_pointer() && index->type->is_pointer()) {
    std::swap(base, index);
    swapped = true;
  }
  if (base->type->is_unknown() || index->type->is_unknown()) return error_expr(loc);
  const auto* p = base->type->as<PointerType>();
  if (p == nullptr) {
    error(loc, "subscripted value is neither array nor pointer nor vector");
    return error_expr(loc);
  }
  if (!index->type->is_integer()) {
    error(loc, "array subscript is not an integer");
    return error_expr(loc);
  }
  if (p->pointee->is_function()) {
    error(loc, "subscripted value is pointer to function");
    return error_expr(loc);
  }
  if (!check_arithmetic_pointer(base->type, loc)) return error_expr(loc);
  if (index->type->is(TypeKind::char_)) {
    warn(loc, "char-subscripts", "array subscript has type 'char'", WarnLevel::all);
  }
  auto* e = make<SubscriptExpr>(loc, p->pointee);
  e->base = base;
  e->index = promote(index);
  e->swapped = swapped;
  e->category = ValueCategory::lvalue;
  adopt(e, base);
  adopt(e, e->index);
  return e;
}

// offsetof(type, member-designator)
Expr* Sema::offset_of(QualType record, std::span<OffsetofStep> steps, Loc loc) {
  auto* e = make<OffsetofExpr>(loc, types_.size_type());
  e->record = record;
  e->uses_upc = mentions_shared(record);
  std::vector<Expr*> variable;
  QualType at = record;
  for (const OffsetofStep& step : steps) {
    if (at->is_unknown()) return error_expr(loc);
    if (step.field != nullptr) {
      const auto* r = at->as<RecordType>();
      if (r == nullptr) {
        error(step.loc, "request for member " + quoted(step.field->text) + " in something not a structure or union");
        return error_expr(loc);
      }
      if (!complete_or_report(at, step.loc, "the operand of 'offsetof'")) return error_expr(loc);
      std::vector<FieldDecl*> path;
      if (find_field(r->decl, step.field, path) == nullptr) {
        error(step.loc, quoted(at) + " has no member named " + quoted(step.field->text));
        return error_expr(loc);
      }
      if (path.back()->is_bitfield) {
        error(step.loc, "attempt to take address of bit-field structure member " + quoted(step.field->text));
        return error_expr(loc);
      }
      for (const FieldDecl* field : path) e->constant_bytes += field->bit_offset / 8;
      at = path.back()->type;
      continue;
    }
    const auto* a = at->as<ArrayType>();
    if (a == nullptr) {
      error(step.loc, "subscripted value is neither array nor pointer nor vector");
      return error_expr(loc);
    }
    at = a->element;
    Expr* index = value(step.index);
    Int128 n = 0;
    if (constants_.integer(index, n)) {
      e->constant_bytes += static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(types_.size_of(at).value);
    } else {
      if (!index->type->is_integer() && !index->type->is_unknown())
        error(step.loc, "array subscript is not an integer");
      variable.push_back(index);
      adopt(e, index);
    }
  }
  e->variable_indices = unit_.arena.copy(variable);
  return e;
}

Expr* Sema::va_argument(Expr* list, QualType type, Loc loc) {
  const QualType wanted = types_.va_list_type();
  const QualType element = static_cast<const ArrayType*>(wanted.type)->element;
  const auto* p = list->type->as<PointerType>();
  const bool ok =
      list->type->is_unknown() || list->type.type == wanted.type || (p != nullptr && p->pointee.type == element.type);
  if (!ok) {
    error(loc, "first argument to 'va_arg' not of type 'va_list'");
    return error_expr(loc);
  }
  if (!complete_or_report(type, loc, "second argument to 'va_arg'")) return error_expr(loc);
  if (type.is_shared()) {
    error(loc, "an argument cannot have shared type " + quoted(type));
    return error_expr(loc);
  }
  const QualType promoted = type->is_integer() ? promoted_type(type, nullptr) : type;
  if (promoted.type != TypeContext::integer_of_enum(type.type) && type->is_integer()) {
    warn(loc, "", quoted(type) + " is promoted to " + quoted(promoted) + " when passed through '...'");
  } else if (type->is(TypeKind::float_)) {
    warn(loc, "", "'float' is promoted to 'double' when passed through '...'");
  }
  auto* e = make<VaArgExpr>(loc, type.unqualified());
  e->list = list;
  adopt(e, list);
  e->has_side_effects = true;
  return e;
}

}  // namespace upcc
