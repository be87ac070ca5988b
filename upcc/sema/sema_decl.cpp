#include <algorithm>
#include <array>
#include <utility>

#include "sema/compat.hpp"
#include "sema/sema.hpp"
#include "sema/target.hpp"

// Declarations of objects and typedef names (C11 6.7, 6.9.2; UPC 6.5).

namespace upcc {

void Sema::note_previous(const Decl* old) {
  if (old->loc == kNoLoc) return;
  const std::string name = old->name == nullptr ? "" : quoted(old->name->text);
  if (old->type && old->kind != DeclKind::record && old->kind != DeclKind::enum_) {
    note(old->loc, "previous declaration of " + name + " with type " + quoted(old->type));
  } else {
    note(old->loc, "previous declaration of " + name);
  }
}

bool Sema::same_kind_or_report(Decl* decl, Decl* old) {
  if (old->kind == decl->kind) return true;
  error(decl->loc, quoted(decl->name->text) + " redeclared as different kind of symbol");
  note_previous(old);
  decl->invalid = true;
  return false;
}

Decl* Sema::declare(const DeclSpec& spec, Declarator& declarator, DeclaratorContext context) {
  QualType type = declarator_type(spec, declarator, context);
  const bool function = type->is_function();
  if (spec.is_inline && !function)
    error(declarator.loc, "variable " + quoted(declarator.name->text) + " declared 'inline'");
  if (spec.is_noreturn && !function)
    error(declarator.loc, "variable " + quoted(declarator.name->text) + " declared '_Noreturn'");
  if (spec.storage == StorageClass::typedef_) return declare_typedef(spec, declarator, type);
  if (function) return declare_function(spec, declarator, type);
  return declare_variable(spec, declarator, type, context);
}

Decl* Sema::declare_typedef(const DeclSpec& spec, Declarator& declarator, QualType type) {
  Attributes attributes = spec.attributes;
  attributes.merge(declarator.attributes);
  Attributes alignment;
  alignment.align = attributes.align;
  type = apply_type_attributes(type, alignment, true);
  if (spec.align != 0) error(spec.loc, "alignment specified for typedef " + quoted(declarator.name->text));
  if (type.ultimate().quals.has(Quals::kStarLayout)) {
    error(spec.qualifiers.layout_loc != kNoLoc ? spec.qualifiers.layout_loc : declarator.loc,
          "layout '[*]' in the typedef of " + quoted(declarator.name->text));
    type = types_.strip(type, Quals::kUpcMask);
  }
  auto* decl = unit_.arena.make<TypedefDecl>();
  decl->kind = DeclKind::typedef_;
  decl->name = declarator.name;
  decl->loc = declarator.loc;
  decl->tokens = declarator.tokens;
  decl->type = type;
  if (auto* r = type->as<RecordType>()) {
    if (r->decl->typedef_name == nullptr) r->decl->typedef_name = decl->name;
    if (attributes.transparent_union) r->decl->transparent_union = true;
  } else if (auto* e = type->as<EnumType>(); e != nullptr && e->decl->typedef_name == nullptr) {
    e->decl->typedef_name = decl->name;
  }
  Decl* old = decl->name->ordinary;
  if (old != nullptr && old->scope_depth == scope_depth()) {
    if (same_kind_or_report(decl, old) && !compatible(types_.strip(old->type, 0), type) && !type->is_unknown()) {
      error(decl->loc, "conflicting types for " + quoted(decl->name->text) + "; have " + quoted(type));
      note_previous(old);
    }
  }
  bind(decl->name, decl);
  if (type->variably_modified) vm_decls_.push_back(decl);
  return decl;
}

void Sema::set_variable_storage(VarDecl* decl, const DeclSpec& spec) {
  const bool file = at_file_scope();
  const MessageName name{decl->name};
  if (file && (spec.storage == StorageClass::auto_ || spec.storage == StorageClass::register_)) {
    error(decl->loc, "file-scope declaration of " + name + " specifies '" +
                         (spec.storage == StorageClass::auto_ ? "auto" : "register") + "'");
  }
  decl->storage = spec.storage;
  decl->is_register = spec.storage == StorageClass::register_;
  const bool is_static = file || spec.storage == StorageClass::static_ || spec.storage == StorageClass::extern_;
  decl->duration = is_static ? StorageDuration::static_ : StorageDuration::automatic;
  if (spec.is_thread) {
    decl->duration = StorageDuration::thread;
    if (!is_static) error(decl->loc, "function-scope " + name + " implicitly auto and declared '_Thread_local'");
  }
  if (spec.storage == StorageClass::static_ && file)
    decl->linkage = Linkage::internal;
  else if (file || spec.storage == StorageClass::extern_)
    decl->linkage = Linkage::external;
  decl->is_definition = spec.storage != StorageClass::extern_;
  decl->tentative = file && decl->is_definition;
  decl->function = function_;
}

VarDecl* Sema::declare_variable(const DeclSpec& spec, Declarator& declarator, QualType type,
                                DeclaratorContext context) {
  auto* decl = unit_.arena.make<VarDecl>();
  decl->kind = DeclKind::variable;
  decl->name = declarator.name;
  decl->loc = declarator.loc;
  decl->tokens = declarator.tokens;
  decl->declarator = declarator.tokens;
  decl->type = type;
  decl->align = std::max({spec.align, spec.attributes.align, declarator.attributes.align});
  set_variable_storage(decl, spec);
  const MessageName name{decl->name};
  if (spec.attributes.alias || declarator.attributes.alias) {
    if (decl->linkage == Linkage::external && spec.storage == StorageClass::none) {
      error(decl->loc, name + " defined both normally and as 'alias' attribute");
    }
    decl->is_definition = decl->tentative = false;
  }
  if (context == DeclaratorContext::for_init && spec.storage != StorageClass::none &&
      spec.storage != StorageClass::auto_ && spec.storage != StorageClass::register_) {
    error(decl->loc, "declaration of " + std::string(spec.storage == StorageClass::static_ ? "static" : "non-local") +
                         " variable " + name + " in 'for' loop initial declaration");
  }
  if (type->is_void() && !(spec.storage == StorageClass::extern_ && !type.is_shared())) {
    error(decl->loc, "variable or field " + name + " declared void");
    decl->type = types_.unknown();
    decl->invalid = true;
  } else if (type->variably_modified && type->is_array() && decl->linkage != Linkage::none) {
    error(decl->loc, "object with variably modified type must have no linkage");
    decl->invalid = true;
  } else if (type->variably_modified && decl->duration == StorageDuration::static_ && type->is_array() &&
             size_of_type(SizeofKind::size, type, decl->loc)->kind == ExprKind::sizeof_ &&
             spec.storage == StorageClass::static_) {
    const Expr* count = type->as<ArrayType>()->count_expr;
    error(decl->loc,
          "storage size of " + name + " isn't constant" + (count == nullptr ? "" : advice_on_constants(count)));
    decl->invalid = true;
  }
  if (!decl->invalid && !type->is_unknown() && !is_opaque(type)) check_shared_object(decl);
  Decl* old = decl->name->ordinary;
  if (old != nullptr && old->scope_depth == scope_depth()) {
    if (same_kind_or_report(decl, old)) merge_variable(decl, static_cast<VarDecl*>(old));
  } else if (decl->linkage != Linkage::none) {
    // 6.2.2p4: a block-scope extern declaration names the object already declared, if any.
    Decl* external = decl->name->external;
    if (external != nullptr && same_kind_or_report(decl, external)) {
      decl->linkage = static_cast<VarDecl*>(external)->linkage;
      merge_variable(decl, static_cast<VarDecl*>(external));
    }
  }
  if (decl->type->is_unknown()) decl->invalid = true;
  bind(decl->name, decl);
  if (decl->linkage != Linkage::none) decl->name->external = decl;
  if (type->variably_modified) vm_decls_.push_back(decl);
  return decl;
}

// 6.7p3-4, 6.2.2, 6.9.2: two declarations of one object.
void Sema::merge_variable(VarDecl* decl, VarDecl* old) {
  const MessageName name{decl->name};
  const auto conflict = [&](const std::string& message) {
    error(decl->loc, message);
    note_previous(old);
  };
  if (decl->linkage == Linkage::none || old->linkage == Linkage::none) {
    if (decl->linkage == Linkage::none && old->linkage == Linkage::none)
      return conflict((at_file_scope() ? "redefinition of " : "redeclaration of ") + name +
                      (at_file_scope() ? "" : " with no linkage"));
    return conflict(decl->linkage == Linkage::none
                        ? "declaration of " + name + " with no linkage follows extern declaration"
                        : "extern declaration of " + name + " follows declaration with no linkage");
  }
  if (old->type->is_unknown() || decl->type->is_unknown()) return;
  if (!compatible(decl->type, old->type)) {
    const bool layout =
        decl->type.is_shared() && old->type.is_shared() && decl->type.block_size() != old->type.block_size();
    return conflict("conflicting types for " + name + "; have " + quoted(decl->type) +
                    (layout ? " with another block size" : ""));
  }
  if (decl->duration != old->duration) {
    return conflict(decl->duration == StorageDuration::thread
                        ? "thread-local declaration of " + name + " follows non-thread-local declaration"
                        : "non-thread-local declaration of " + name + " follows thread-local declaration");
  }
  if (decl->linkage != old->linkage) {
    if (decl->storage == StorageClass::extern_)
      decl->linkage = old->linkage;
    else
      return conflict(decl->linkage == Linkage::internal
                          ? "static declaration of " + name + " follows non-static declaration"
                          : "non-static declaration of " + name + " follows static declaration");
  }
  decl->previous = old;
  decl->used = old->used;
  decl->type = composite(types_, decl->type, old->type);
  decl->align = std::max(decl->align, old->align);
}

void Sema::attach_initialiser(Decl* d, Expr* init, Loc loc) {
  auto* decl = decl_cast<VarDecl>(d);
  if (decl == nullptr) {
    if (d->kind == DeclKind::typedef_)
      error(d->loc, "typedef " + quoted(d->name->text) + " is initialized (use '__typeof__' instead)");
    else if (d->kind == DeclKind::function)
      error(d->loc, "function " + quoted(d->name->text) + " is initialized like a variable");
    return;
  }
  for (const VarDecl* old = decl->previous; old != nullptr; old = old->previous) {
    if (old->init == nullptr) continue;
    error(decl->loc, "redefinition of " + quoted(decl->name->text));
    note(old->loc, "previous definition of " + quoted(decl->name->text) + " with type " + quoted(old->type));
    break;
  }
  if (decl->storage == StorageClass::extern_) {
    if (!at_file_scope())
      error(decl->loc, quoted(decl->name->text) + " has both 'extern' and initializer");
    else
      warn(decl->loc, "", quoted(decl->name->text) + " initialized and declared 'extern'");
  }
  decl->init = init;
  decl->is_definition = true;
  decl->tentative = false;
  (void)loc;
}

void Sema::finish_declaration(Decl* d) {
  auto* decl = decl_cast<VarDecl>(d);
  if (decl == nullptr || decl->type->is_unknown() || decl->invalid) return;
  const MessageName name{decl->name};
  decl->uses_upc = decl->uses_upc || mentions_shared(decl->type) || (decl->init != nullptr && decl->init->uses_upc);
  if (decl->type.ultimate().quals.has(Quals::kStarLayout)) {
    if (TypeContext::is_complete(decl->type))
      decl->type = resolve_star_layout(decl->type, decl->loc);
    else
      error(decl->loc, "layout '[*]' needs an array of known size");
  }
  if (decl->init != nullptr && decl->type.is_shared()) check_shared_object(decl);
  if (decl->is_definition && !decl->tentative && !TypeContext::is_complete(decl->type)) {
    if (decl->init != nullptr && decl->init->type->is_unknown() && decl->type->is_array()) return;
    if (decl->type->is_array() && TypeContext::is_complete(static_cast<const ArrayType*>(decl->type.type)->element)) {
      error(decl->loc, "array size missing in " + name);
    } else if (is_opaque(decl->type)) {
      report_opaque_object(decl);
    } else {
      error(decl->loc, "storage size of " + name + " isn't known");
    }
    decl->invalid = true;
    return;
  }
  if (decl->type.is_shared() && TypeContext::is_complete(decl->type)) {
    const std::uint64_t bytes = types_.shared_bytes(decl->type, unit_.static_threads);
    if (bytes > target::kMaxSharedBytes)
      error(decl->loc, "shared object " + quoted(decl->name->text) + " takes " +
                           (bytes == UINT64_MAX ? "more than 2^64" : std::to_string(bytes)) +
                           " bytes of each thread's memory, of which there can be no more than " +
                           std::to_string(target::kMaxSharedBytes));
  }
  if (decl->tentative && decl->linkage == Linkage::internal && !TypeContext::is_complete(decl->type) &&
      !decl->type->is_array()) {
    warn(decl->loc, "pedantic", "tentative definition of " + name + " with internal linkage has incomplete type",
         WarnLevel::pedantic);
  }
  if (decl->tentative) tentative_.push_back(decl);
}

// GNU __auto_type: the type of the initialiser.
Decl* Sema::declare_auto_type(const DeclSpec& spec, Declarator& declarator, Expr* init) {
  DeclSpec typed = spec;
  Expr* v = init->type->is_void() ? init : value(init);
  if (!declarator.chunks.empty())
    error(declarator.loc, "'__auto_type' may only be used with a plain identifier as declarator");
  declarator.chunks.clear();
  QualifierList qualifiers = spec.qualifiers;
  typed.type = apply_qualifiers(v->type.unqualified(), qualifiers, spec.loc);
  typed.is_auto_type = false;
  Decl* decl = declare(typed, declarator, at_file_scope() ? DeclaratorContext::file : DeclaratorContext::block);
  if (auto* variable = decl_cast<VarDecl>(decl)) {
    if (variable->duration != StorageDuration::automatic && !constants_.is_static_initialiser(v)) {
      error(init->loc, "initializer element is not constant");
    }
    attach_initialiser(decl, v, declarator.loc);
  }
  finish_declaration(decl);
  return decl;
}

// 6.7p2: a declaration declares something.
void Sema::check_empty_declaration(const DeclSpec& spec, bool in_record) {
  const bool on_stack = spec.storage == StorageClass::auto_ || spec.storage == StorageClass::register_;
  if (spec.is_inline || spec.is_noreturn) {
    error(spec.loc, std::string(spec.is_inline ? "'inline'" : "'_Noreturn'") + " in empty declaration");
  } else if (on_stack && at_file_scope()) {
    error(spec.loc, std::string(spec.storage == StorageClass::auto_ ? "'auto'" : "'register'") +
                        " in file-scope empty declaration");
  }
  if (spec.tag != nullptr) {
    const bool useless_untagged = spec.tag->name == nullptr && spec.tag->kind != DeclKind::enum_;
    if (useless_untagged && !in_record && !spec.type->is_unknown())
      warn(spec.loc, "", "unnamed struct/union that defines no instances");
    else if (spec.storage != StorageClass::none && spec.storage != StorageClass::typedef_)
      warn(spec.loc, "", "useless storage class specifier in empty declaration");
    else if (spec.qualifiers.quals.bits != 0)
      warn(spec.loc, "", "useless type qualifier in empty declaration");
    return;
  }
  if (spec.type && !spec.type->is_unknown())
    warn(spec.loc, "",
         spec.implicit_int && spec.qualifiers.quals.bits == 0 ? "empty declaration"
                                                              : "useless type name in empty declaration");
}

void Sema::check_tentative(VarDecl* decl) {
  const Decl* current = decl->name->external;
  const QualType type = current != nullptr && current->kind == DeclKind::variable ? current->type : decl->type;
  if (TypeContext::is_complete(type) || type->is_unknown()) return;
  const auto* last = decl_cast<VarDecl>(current);
  if (last != decl) return;
  if (type->is_array()) {
    const auto* array = static_cast<const ArrayType*>(type.type);
    if (type.is_shared()) {
      error(decl->loc, "array size missing in " + quoted(decl->name->text));
      return;
    }
    warn(decl->loc, "", "array " + quoted(decl->name->text) + " assumed to have one element");
    decl->type = types_.array_of(array->element, {1, false});
    return;
  }
  if (is_opaque(type)) return report_opaque_object(decl);
  error(decl->loc, "storage size of " + quoted(decl->name->text) + " isn't known");
}

// Programs have pointers to what the library allocates.
void Sema::report_opaque_object(const Decl* decl) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAllocators{{
      {"upc_lock_t", "upc_all_lock_alloc"},
      {"upc_atomicdomain_t", "upc_all_atomicdomain_alloc"},
      {"bupc_sem_t", "bupc_sem_alloc"},
  }};
  const std::string type = type_string(decl->type.ultimate().unqualified());
  const auto known =
      std::find_if(kAllocators.begin(), kAllocators.end(), [&](const auto& a) { return a.first == type; });
  const std::string how =
      known == kAllocators.end() ? "" : ", and let " + std::string(known->second) + " allocate what it points to";
  const std::string name = decl->name == nullptr ? "" : " " + quoted(decl->name->text);
  const std::string pointer = decl->name == nullptr ? "" : std::string(decl->name->text);
  error(decl->loc,
        "object" + name + " has the opaque type " + quoted(type) + ": declare a pointer, '" + type + " *" + pointer +
            "'" + how,
        {{}, {{{decl->loc, decl->loc}, "*"}}});
}

void Sema::finish_unit() {
  for (VarDecl* decl : tentative_) check_tentative(decl);
  for (const FunctionDecl* f : declared_functions_) {
    const auto* current = decl_cast<FunctionDecl>(f->name->external);
    if (current == nullptr || current != f || current->body != nullptr || current->definition != nullptr) continue;
    if (current->linkage == Linkage::internal && current->used) {
      warn(f->loc, "", quoted(f->name->text) + " used but never defined");
    }
  }
}

void Sema::static_assertion(Expr* condition, Expr* message, Loc loc) {
  condition = value(condition);
  if (condition->type->is_unknown()) return;
  Int128 n = 0;
  if (!condition->type->is_integer()) {
    error(condition->loc, "expression in static assertion is not an integer");
  } else if (!constants_.integer(condition, n)) {
    error(condition->loc, "expression in static assertion is not constant");
  } else if (n == 0) {
    const auto* text = message == nullptr ? nullptr : expr_cast<StringLiteral>(message);
    error(loc, text == nullptr ? std::string("static assertion failed")
                               : "static assertion failed: \"" + std::string(text->bytes) + "\"");
  }
}

}  // namespace upcc
