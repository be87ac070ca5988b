#include "optimise/effects.hpp"

#include <algorithm>
#include <array>

namespace upcc {

const Expr* strip_parens(const Expr* e) {
  for (;;) {
    if (const auto* p = expr_cast<ParenExpr>(e))
      e = p->inner;
    else if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && u->op == UnaryOp::extension)
      e = u->operand;
    else
      return e;
  }
}

const Expr* decayed_array(const Expr* e) {
  const auto* decay = expr_cast<CastExpr>(strip_parens(e));
  return decay != nullptr && decay->cast_kind == CastKind::array_to_pointer ? strip_parens(decay->operand) : nullptr;
}

namespace {

// The expression behind parentheses and choices made at compile time.
const Expr* chosen(const Expr* e) {
  for (;;) {
    e = strip_parens(e);
    if (const auto* g = expr_cast<GenericExpr>(e))
      e = g->chosen;
    else if (const auto* c = expr_cast<ChooseExpr>(e))
      e = c->chosen;
    else
      return e;
  }
}

// The variable that an lvalue is (part of), if it is reached without a pointer.
const Decl* object_of(const Expr* e) {
  for (;;) {
    e = chosen(e);
    if (const auto* m = expr_cast<MemberExpr>(e); m != nullptr && !m->arrow) {
      e = m->base;
    } else if (const auto* u = expr_cast<UnaryExpr>(e);
               u != nullptr && (u->op == UnaryOp::real || u->op == UnaryOp::imag)) {
      e = u->operand;
    } else if (const auto* s = expr_cast<SubscriptExpr>(e)) {
      if (s->base->type->is_vector()) {
        e = s->base;
        continue;
      }
      const auto* decay = expr_cast<CastExpr>(chosen(s->base));
      if (decay == nullptr || decay->cast_kind != CastKind::array_to_pointer) return nullptr;
      e = decay->operand;
    } else {
      const auto* ref = expr_cast<DeclRef>(e);
      return ref == nullptr ? nullptr : ref->decl;
    }
  }
}

bool is_update(const UnaryExpr* u) { return u->op >= UnaryOp::pre_inc && u->op <= UnaryOp::post_dec; }

// A variable, or a member of one.
bool is_variable(const Expr* e) {
  e = strip_parens(e);
  if (e->is_shared_lvalue()) return false;
  const auto* m = expr_cast<MemberExpr>(e);
  return e->kind == ExprKind::decl_ref || (m != nullptr && !m->arrow && is_variable(m->base));
}

// Of a pointer that nothing can be written through: to constant scalars (a format string), or to shared memory, where
// no private variable lies.
bool only_reads(QualType pointer) {
  const QualType pointee = static_cast<const PointerType*>(pointer.type)->pointee;
  return pointee.is_shared() || (pointee.is_const() && (pointee->is_arithmetic() || pointee->is_void()));
}

// A function that only looks at the pointer-to-shared it is given.
bool asks_pointer(std::string_view name) {
  return name.ends_with("_threadof") || name.ends_with("_phaseof") || name.ends_with("_addrfield") ||
         name.ends_with("_resetphase") || name.ends_with("_affinitysize");
}

// What runs other code of the program (handlers of signals and of active messages), or lets be seen what other POSIX
// threads of it, or other processes through a library for communication, have written.
bool calls_or_orders(std::string_view name) {
  constexpr std::array kPrefixes{"__sync", "__atomic", "__c11_atomic", "atomic_", "pthread_", "thrd_",
                                 "mtx_",   "cnd_",     "sem_",         "raise",   "kill",     "sig",
                                 "weft_",  "MPI_",     "PMPI_",        "shmem_"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const char* p) { return name.starts_with(p); });
}

// A function of some library changes no variable of the program unless it is given a pointer: then it may at once,
// later (a receive that is waited for), or by calling back. Functions of the UPC library complete transfers begun
// before.
bool may_change_variables(const CallExpr* call) {
  const FunctionDecl* f = call->direct;
  if (f == nullptr || !(f->is_builtin || f->in_system_header)) return true;
  const std::string_view name = f->name->text;
  if (calls_or_orders(name)) return true;
  if ((name.starts_with("upc") || name.starts_with("bupc")) && !asks_pointer(name)) return true;
  return std::any_of(call->args.begin(), call->args.end(), [](const Expr* arg) {
    return arg->type->is_record() || (arg->type->is_pointer() && !only_reads(arg->type));
  });
}

// Memory that belongs to a library, such as the result of gmtime(), changes by more functions: numbers in and a number
// out are those that surely leave it alone.
bool may_change_memory(const CallExpr* call) {
  if (may_change_variables(call)) return true;
  if (asks_pointer(call->direct->name->text)) return false;
  return !call->type->is_arithmetic() ||
         !std::all_of(call->args.begin(), call->args.end(), [](const Expr* arg) { return arg->type->is_arithmetic(); });
}

// Whether variables of a declaration have a function that is called where they end.
bool has_cleanup(const DeclGroup* group, const EffectContext& context) {
  for (std::uint32_t i = group->tokens.first; i < group->tokens.last; ++i) {
    const Name* name = context.tokens[i].name;
    if (name != nullptr && (name->text == "cleanup" || name->text == "__cleanup__")) return true;
  }
  return false;
}

// Whether code computes as plain C does: its expressions know shared memory by THREADS and MYTHREAD alone, which do not
// change. `calls` gets its calls.
bool computes_as_c(const Stmt* code, const EffectContext& context, std::vector<const CallExpr*>& calls) {
  bool plain = true;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    if (const auto* call = expr_cast<CallExpr>(e)) calls.push_back(call);
    plain = plain && e->access == Access::none && !mentions_shared(e->type);
    return plain;
  };
  visitor.stmt = [&](const Stmt* s) {
    plain = plain && s->kind != StmtKind::asm_ && s->kind != StmtKind::upc_sync && s->kind != StmtKind::upc_forall;
    return plain;
  };
  visitor.group = [&](const DeclGroup* group) { plain = plain && !has_cleanup(group, context); };
  walk(code, visitor);
  return plain;
}

// Whether a function is defined in this unit in plain C, and all calls in it, down to the last, are such that
// `allowed(library call)`.
template <typename Allowed>
bool is_plain_c(const FunctionDecl* function, const EffectContext& context, const Allowed& allowed) {
  std::vector<const FunctionDecl*> called{function};
  std::unordered_set<const FunctionDecl*> seen;
  while (!called.empty()) {
    const FunctionDecl* definition = called.back()->definition;
    called.pop_back();
    if (definition == nullptr) return false;
    if (!seen.insert(definition).second) continue;
    // Another unit may define a weak function otherwise.
    if (context.weak_functions && definition->linkage != Linkage::internal) return false;
    std::vector<const CallExpr*> calls;
    if (!computes_as_c(definition->body, context, calls)) return false;
    for (const CallExpr* call : calls) {
      const FunctionDecl* direct = call->direct;
      const bool library = direct != nullptr && (direct->is_builtin || direct->in_system_header);
      if (direct == nullptr || (library && !allowed(call))) return false;
      if (!library) called.push_back(direct);
    }
  }
  return true;
}

// Whether a library function neither accesses shared memory nor orders accesses to it, nor calls what might.
bool library_leaves_shared_memory_alone(const CallExpr* call) {
  const std::string_view name = call->direct->name->text;
  const bool calls_back = std::any_of(call->args.begin(), call->args.end(), [](const Expr* arg) {
    return arg->type->is_pointer() && static_cast<const PointerType*>(arg->type.type)->pointee->is_function();
  });
  if (name.starts_with("upc") || name.starts_with("bupc")) return asks_pointer(name);
  return !calls_back && !calls_or_orders(name) && name.find("longjmp") == std::string_view::npos;
}

bool leaves_shared_memory_alone(const CallExpr* call, const EffectContext& context) {
  const FunctionDecl* f = call->direct;
  if (f == nullptr) return false;
  if (f->is_builtin || f->in_system_header) return library_leaves_shared_memory_alone(call);
  return is_plain_c(f, context, library_leaves_shared_memory_alone);
}

bool library_returns(const CallExpr* call) {
  const std::string_view name = call->direct->name->text;
  return !call->direct->noreturn && name != "__builtin_trap" && name != "__builtin_unreachable" &&
         name != "__builtin_abort" && name != "__builtin_exit";
}

TypeKind without_sign(const Type* type) {
  switch (type->kind) {
    case TypeKind::ushort:
      return TypeKind::short_;
    case TypeKind::uint:
      return TypeKind::int_;
    case TypeKind::ulong:
    case TypeKind::longlong:
    case TypeKind::ulonglong:
      return TypeKind::long_;
    default:
      return type->kind;
  }
}

// Whether a store of one type can change an object of the other (C11 6.5p7): scalars only those of their own kind, what
// is no scalar anything it may contain.
bool may_alias(const Type* stored, const Type* object) {
  const auto distinct = [](const Type* type) {
    return type->is_scalar() && type->kind > TypeKind::uchar && !type->is_complex() && !type->is_enum();
  };
  return !distinct(stored) || !distinct(object) || without_sign(stored) == without_sign(object);
}

// Whether the program uses an attribute that leaves no trace in the tree: types that alias all others, weak functions.
bool names_attribute(const TranslationUnit& unit, std::string_view attribute) {
  return std::any_of(unit.tokens.tokens.begin(), unit.tokens.tokens.end(), [&](const Token& token) {
    return token.name != nullptr && (token.flags & Token::kSystem) == 0 &&
           (token.name->text == attribute || token.name->text == "__" + std::string(attribute) + "__");
  });
}

bool has_weak_functions(const TranslationUnit& unit) {
  return names_attribute(unit, "weak") ||
         std::any_of(unit.tokens.pragmas.begin(), unit.tokens.pragmas.end(),
                     [](const PragmaLine& pragma) { return pragma.text.starts_with("weak"); });
}

}  // namespace

EffectContext effect_context(const TranslationUnit& unit, const ConstEvaluator& constants, bool strict_aliasing) {
  return {.constants = constants,
          .tokens = unit.tokens.tokens,
          .strict_aliasing = strict_aliasing && !names_attribute(unit, "may_alias"),
          .weak_functions = has_weak_functions(unit),
          .aliases = names_attribute(unit, "alias"),
          .address_taken = AddressTaken(unit)};
}

AddressTaken::AddressTaken(const FunctionDecl* function) { walk(function->body, watcher()); }

AddressTaken::AddressTaken(const TranslationUnit& unit) {
  const Visitor visitor = watcher();
  for (const DeclGroup* group : unit.groups) {
    for (const Decl* decl : group->decls) {
      add(decl);
      if (const auto* function = decl_cast<FunctionDecl>(decl)) walk(function->body, visitor);
      if (const auto* variable = decl_cast<VarDecl>(decl)) walk(variable->init, visitor);
    }
  }
}

void AddressTaken::add(const Decl* decl) {
  const auto* variable = decl_cast<VarDecl>(decl);
  if (variable == nullptr || variable->previous == nullptr) return;
  decls_.insert(variable);
  decls_.insert(variable->previous);
}

Visitor AddressTaken::watcher() {
  Visitor visitor;
  visitor.group = [&](const DeclGroup* group) {
    for (const Decl* decl : group->decls) add(decl);
  };
  visitor.expr = [&](const Expr* e) {
    const auto* u = expr_cast<UnaryExpr>(e);
    if (u != nullptr && u->op == UnaryOp::address_of) {
      if (const Decl* decl = object_of(u->operand)) decls_.insert(decl);
    }
    // An array that is a member becomes a pointer into its structure.
    const auto* decay = expr_cast<CastExpr>(e);
    if (decay != nullptr && decay->cast_kind == CastKind::array_to_pointer &&
        chosen(decay->operand)->kind == ExprKind::member) {
      if (const Decl* decl = object_of(decay->operand)) decls_.insert(decl);
    }
    return true;
  };
  visitor.stmt = [&](const Stmt* s) {
    if (const auto* a = stmt_cast<AsmStmt>(s)) {
      for (const AsmOperand& operand : a->operands) {
        if (const Decl* decl = object_of(operand.expr)) decls_.insert(decl);
      }
    }
    return true;
  };
  return visitor;
}

void Effects::assigned(const Expr* lvalue) {
  const bool shared = lvalue->is_shared_lvalue();
  const Decl* object = shared ? nullptr : object_of(lvalue);
  if (object != nullptr) changed_.insert(object);
  const auto* var = decl_cast<VarDecl>(object);
  const bool is_static = var != nullptr && var->duration != StorageDuration::automatic;
  bool by_pointer = object == nullptr || is_static || address_taken_->contains(object);
  std::vector<const Type*> types{lvalue->type.type};
  for (const Expr* e = chosen(lvalue); e != nullptr;) {
    const auto* m = expr_cast<MemberExpr>(e);
    const auto* s = expr_cast<SubscriptExpr>(e);
    const auto* decay = s == nullptr ? nullptr : expr_cast<CastExpr>(chosen(s->base));
    // A store of one member of a union changes the others (C11 6.5.2.3, footnote 95).
    if (m != nullptr && m->field->parent->is_union) types.push_back(m->field->parent->record_type);
    by_pointer = by_pointer || s != nullptr;  // an array's elements have an address without being asked for it
    if (m != nullptr && !m->arrow)
      e = chosen(m->base);
    else if (decay != nullptr && decay->cast_kind == CastKind::array_to_pointer)
      e = chosen(decay->operand);
    else
      break;
  }
  if (shared)
    shared_stored_.insert(types.begin(), types.end());
  else if (by_pointer)
    stored_.insert(types.begin(), types.end());
  if (!shared && object == nullptr) pointer_stored_.insert(types.begin(), types.end());
}

// Where a break goes, and whose a case label is.
struct Effects::Around {
  bool loop = false;            // the nearest loop or switch around is a loop of this code
  bool nearest_switch = false;  // ... or a switch of it
  bool any_switch = false;
};

void Effects::add_control(const Stmt* statement, Around around) {
  Visitor visitor;
  visitor.stmt = [&](const Stmt* s) {
    switch (s->kind) {
      case StmtKind::for_:
      case StmtKind::while_:
      case StmtKind::do_:
      case StmtKind::upc_forall:
        if (s == statement) return true;
        add_control(s, {.loop = true, .nearest_switch = false, .any_switch = around.any_switch});
        return false;
      case StmtKind::switch_:
        if (s == statement) return true;
        add_control(s, {.loop = false, .nearest_switch = true, .any_switch = true});
        return false;
      case StmtKind::case_:
      case StmtKind::default_:
        entered_ = entered_ || !around.any_switch;
        one_copy_ = one_copy_ || !around.any_switch;
        return true;
      case StmtKind::break_:
        leaves_ = leaves_ || (!around.loop && !around.nearest_switch);
        ends_early_ = ends_early_ || !around.nearest_switch;
        return true;
      case StmtKind::return_:
        ends_early_ = true;
        return true;
      case StmtKind::label:
        entered_ = true;
        one_copy_ = true;
        return true;
      case StmtKind::goto_:
      case StmtKind::computed_goto:
        leaves_ = true;
        ends_early_ = true;
        one_copy_ = true;
        return true;
      case StmtKind::asm_:  // may define labels or write anything
        calls_ = memory_calls_ = any_call_ = orders_ = true;
        one_copy_ = true;
        return true;
      case StmtKind::upc_sync:
        calls_ = memory_calls_ = any_call_ = orders_ = true;
        return true;
      default:
        return true;
    }
  };
  walk(statement, visitor);
}

void Effects::add(const Stmt* s) {
  if (s == nullptr) return;
  // A loop or switch is its own surroundings.
  const bool is_switch = s->kind == StmtKind::switch_;
  const bool is_loop = s->kind == StmtKind::for_ || s->kind == StmtKind::while_ || s->kind == StmtKind::do_ ||
                       s->kind == StmtKind::upc_forall;
  declare_tags(s->tokens);
  add_control(s, {.loop = is_loop, .nearest_switch = is_switch, .any_switch = is_switch});
  walk(s, watcher());
}

void Effects::add(const Expr* e) { walk(e, watcher()); }

Visitor Effects::watcher() {
  Visitor visitor;
  visitor.expr = [this](const Expr* e) {
    strict_ = strict_ || e->access == Access::strict;
    if (const auto* a = expr_cast<AssignExpr>(e)) assigned(a->lhs);
    if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && is_update(u)) assigned(u->operand);
    if (const auto* c = expr_cast<CallExpr>(e); c != nullptr && !left_out_.contains(c)) {
      any_call_ = true;
      calls_ = calls_ || may_change_variables(c);
      memory_calls_ = memory_calls_ || may_change_memory(c);
      orders_ = orders_ || may_order_accesses(c, *context_);
    }
    if (e->kind == ExprKind::label_address) one_copy_ = true;
    if (const auto* s = expr_cast<StatementExpr>(e)) add_control(s->body, {});
    return true;
  };
  visitor.group = [this](const DeclGroup* group) {
    const auto declare = [this](const Name* name) {
      if (name != nullptr) declared_.insert(name);
    };
    for (const Decl* decl : group->decls) {
      declare(decl->name);
      const auto* var = decl_cast<VarDecl>(decl);
      if (var == nullptr) continue;
      changed_.insert(var);
      if (var->duration != StorageDuration::automatic) one_copy_ = true;
    }
    if (group->tag != nullptr) declare(group->tag->name);
    if (has_cleanup(group, *context_)) calls_ = memory_calls_ = any_call_ = orders_ = true;
  };
  return visitor;
}

// Tags and enumeration constants may be defined in structures, casts and sizeof, too.
void Effects::declare_tags(TokenRange range) {
  const std::vector<Token>& tokens = context_->tokens;
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    if (!tokens[i].is(TokenKind::l_brace)) continue;
    std::uint32_t at = i;
    const bool named = at > range.first && tokens[at - 1].is(TokenKind::identifier);
    if (named) --at;
    if (at == range.first) continue;
    const TokenKind keyword = tokens[at - 1].kind;
    const bool is_enum = keyword == TokenKind::kw_enum;
    if (!is_enum && keyword != TokenKind::kw_struct && keyword != TokenKind::kw_union) continue;
    if (named) declared_.insert(tokens[at].name);
    if (!is_enum) continue;
    for (++i; i < range.last && !tokens[i].is(TokenKind::r_brace); ++i) {
      if (tokens[i].is(TokenKind::identifier)) declared_.insert(tokens[i].name);
    }
  }
}

bool may_order_accesses(const CallExpr* call, const EffectContext& context) {
  return !leaves_shared_memory_alone(call, context);
}

bool surely_returns(const CallExpr* call, const EffectContext& context) {
  const FunctionDecl* f = call->direct;
  if (f == nullptr) return false;
  if (f->is_builtin || f->in_system_header) return library_returns(call);
  return !f->noreturn && is_plain_c(f, context, library_returns);
}

Effects Effects::with_constant(const Decl* variable) const {
  Effects out = *this;
  out.changed_.erase(variable);
  out.declared_.erase(variable->name);
  return out;
}

bool Effects::means_the_same_before(const Expr* e) const {
  for (std::uint32_t i = e->tokens.first; i < e->tokens.last; ++i) {
    const Token& token = context_->tokens[i];
    // A brace: a type or a block of its own.
    if (token.is(TokenKind::l_brace) || (token.name != nullptr && declared_.contains(token.name))) return false;
  }
  return true;
}

bool Effects::stored_over(const std::unordered_set<const Type*>& stored, const Type* object) const {
  return std::any_of(stored.begin(), stored.end(),
                     [&](const Type* type) { return !context_->strict_aliasing || may_alias(type, object); });
}

bool Effects::stores_by_pointer(const Type* object) const {
  return memory_calls_ || stored_over(pointer_stored_, object);
}

// Whether a variable with static storage changes by its name only. An array's elements are always reached by pointers.
bool Effects::has_no_pointers_to_it(const VarDecl* variable) const {
  if (variable->type->is_array() || context_->aliases) return false;
  if (variable->linkage == Linkage::internal) return !context_->address_taken.contains(variable);
  return variable->linkage == Linkage::none && !address_taken_->contains(variable);
}

bool Effects::same_variable(const Decl* decl) const {
  if (decl->kind == DeclKind::enum_constant || decl->kind == DeclKind::function) return true;
  if (changed_.contains(decl)) return false;
  const auto* var = decl_cast<VarDecl>(decl);
  const bool is_static = var != nullptr && var->duration != StorageDuration::automatic;
  if (!is_static && !address_taken_->contains(decl)) return true;
  if (decl->type.is_const()) return true;
  if (is_static && has_no_pointers_to_it(var)) return !calls_;
  for (const VarDecl* v = var; v != nullptr && any_call_; v = v->previous) {
    if (v->in_system_header) return false;  // signgam, timezone
  }
  return !calls_ && !stored_over(stored_, decl->type.type);
}

bool Effects::same_place(const Expr* e, bool* loads) const {
  e = strip_parens(e);
  switch (e->kind) {
    case ExprKind::decl_ref:
      return !changed_.contains(static_cast<const DeclRef*>(e)->decl) || e->type->is_array();
    case ExprKind::subscript: {
      const auto* s = static_cast<const SubscriptExpr*>(e);
      if (s->base->type->is_vector()) return false;
      const Expr* array = decayed_array(s->base);
      return (array != nullptr ? same_place(array, loads) : same_value(s->base, loads)) && same_value(s->index, loads);
    }
    case ExprKind::unary:
      return static_cast<const UnaryExpr*>(e)->op == UnaryOp::deref &&
             same_value(static_cast<const UnaryExpr*>(e)->operand, loads);
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      return !e->is_bitfield && (m->arrow ? same_value(m->base, loads) : same_place(m->base, loads));
    }
    default:
      return false;
  }
}

// A value in memory: dir[t], node->next.
bool Effects::same_load(const CastExpr* load, bool* loads) const {
  const Expr* place = strip_parens(load->operand);
  const Type* type = load->type.type;
  // A strict access may tell that what private pointers reach has changed, too.
  if (loads == nullptr || memory_calls_ || strict_ || load->access == Access::strict) return false;
  const Decl* object = object_of(place);
  if (object != nullptr && changed_.contains(object)) return false;
  if (stored_over(stored_, type) || stored_over(shared_stored_, type)) return false;
  if (!same_place(place, loads)) return false;
  *loads = true;
  return true;
}

// Floating-point arithmetic raises exceptions, which some programs have trapped: as with loads.
bool Effects::may_raise(bool* loads) {
  if (loads != nullptr) *loads = true;
  return loads != nullptr;
}

bool Effects::same_value(const Expr* e, bool* loads) const {
  switch (e->kind) {
    case ExprKind::int_literal:
    case ExprKind::float_literal:
    case ExprKind::mythread:
    case ExprKind::threads:
      return true;
    case ExprKind::sizeof_:
      return !static_cast<const SizeofExpr*>(e)->variable;
    case ExprKind::paren:
      return same_value(static_cast<const ParenExpr*>(e)->inner, loads);
    case ExprKind::decl_ref:
      return same_variable(static_cast<const DeclRef*>(e)->decl);
    case ExprKind::unary: {
      const auto* u = static_cast<const UnaryExpr*>(e);
      if (is_update(u) || u->op == UnaryOp::deref || u->op == UnaryOp::address_of) return false;
      return same_value(u->operand, loads);
    }
    case ExprKind::binary: {
      const auto* b = static_cast<const BinaryExpr*>(e);
      if (b->op == BinaryOp::comma) return false;
      Int128 divisor = 0;
      if ((b->op == BinaryOp::div || b->op == BinaryOp::rem) && strip_parens(b->rhs)->kind != ExprKind::threads &&
          (!context_->constants.integer(b->rhs, divisor) || divisor == 0 || divisor == -1)) {
        return false;  // may trap
      }
      if (b->type->is_floating() && !may_raise(loads)) return false;
      return same_value(b->lhs, loads) && same_value(b->rhs, loads);
    }
    case ExprKind::member: {
      const auto* m = static_cast<const MemberExpr*>(e);
      return !m->arrow && !m->base->is_shared_lvalue() && same_value(m->base, loads);
    }
    case ExprKind::cast: {
      const auto* c = static_cast<const CastExpr*>(e);
      if (c->cast_kind == CastKind::pts_to_local) return false;
      if (c->cast_kind == CastKind::float_to_int && !may_raise(loads)) return false;
      if (c->cast_kind == CastKind::lvalue_to_rvalue) {
        const QualType read = c->operand->type;
        if (read.is_volatile() || read.quals.has(Quals::kAtomic)) return false;
        if (!is_variable(c->operand)) return same_load(c, loads);
      }
      if (c->access != Access::none) return false;
      if (c->cast_kind == CastKind::array_to_pointer && c->operand->is_shared_lvalue()) return false;
      return same_value(c->operand, loads);
    }
    default:
      return false;
  }
}

}  // namespace upcc
