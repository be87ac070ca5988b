#include "sema/compat.hpp"
#include "sema/sema.hpp"
#include "sema/usage.hpp"

// Functions: declarations, parameters, definitions (C11 6.7.6.3, 6.9.1).

namespace upcc {

namespace {

// Whether it is a function of UPC's libraries whose messages name the caller's place, which the runtime is told before
// the call. The others have none, or are called too often.
bool names_place(std::string_view name) {
  if (name == "upc_global_exit" || name == "bupc_poll") return false;
  if (name.starts_with("upc_tick") || name.starts_with("bupc_tick")) return false;
  return name.starts_with("upc_") || name.starts_with("bupc_") || name.starts_with("upcr_allv_");
}

}  // namespace

// 6.7.6.3p7-8: arrays and functions become pointers; UPC 6.5.2: no parameter is a shared object.
void Sema::adjust_param_type(ParamDecl* param) {
  if (const auto* a = param->type->as<ArrayType>()) {
    param->type = types_.pointer_to(a->element);
  } else if (param->type->is_function()) {
    param->type = types_.pointer_to(param->type);
  } else if (is_opaque(param->type)) {
    report_opaque_object(param);
    param->type = types_.unknown();
  } else if (param->type.is_shared()) {
    const MessageName name{param->name, " "};
    error(param->loc, "parameter" + name + " has shared type " + quoted(param->type) + "; a parameter is automatic");
    param->type = types_.strip(param->type, Quals::kUpcMask);
  }
}

ParamDecl* Sema::declare_param(const DeclSpec& spec, Declarator& declarator) {
  auto* param = unit_.arena.make<ParamDecl>();
  param->kind = DeclKind::param;
  param->name = declarator.name;
  param->loc = declarator.loc;
  param->tokens = declarator.tokens;
  param->type = declarator_type(spec, declarator, DeclaratorContext::param);
  if (param->type.ultimate().quals.has(Quals::kStarLayout)) {
    error(spec.qualifiers.layout_loc, "layout '[*]' in a parameter");
    param->type = types_.strip(param->type, Quals::kUpcMask);
  }
  if (spec.storage != StorageClass::none && spec.storage != StorageClass::register_) {
    error(declarator.loc,
          "storage class specified" +
              (param->name == nullptr ? " for unnamed parameter" : " for parameter " + quoted(param->name->text)));
  }
  param->is_register = spec.storage == StorageClass::register_;
  // The outermost array's own qualifiers belong to the pointer.
  const Quals pointer_quals = !declarator.chunks.empty() && declarator.chunks[0].kind == DeclaratorChunk::Kind::array
                                  ? declarator.chunks[0].qualifiers.quals
                                  : Quals{};
  adjust_param_type(param);
  param->type = types_.qualify(param->type, pointer_quals);
  param->uses_upc = spec.uses_upc || mentions_shared(param->type);
  if (param->name != nullptr) {
    Decl* old = param->name->ordinary;
    if (old != nullptr && old->scope_depth == scope_depth()) {
      error(param->loc, "redefinition of parameter " + quoted(param->name->text));
      note_previous(old);
    }
    bind(param->name, param);
  }
  return param;
}

FunctionDecl* Sema::declare_function(const DeclSpec& spec, Declarator& declarator, QualType type) {
  auto* decl = unit_.arena.make<FunctionDecl>();
  decl->kind = DeclKind::function;
  decl->name = declarator.name;
  decl->loc = declarator.loc;
  decl->tokens = declarator.tokens;
  decl->declarator = declarator.tokens;
  decl->type = type.unqualified();
  decl->storage = spec.storage;
  decl->is_inline = spec.is_inline;
  decl->noreturn = spec.is_noreturn || spec.attributes.noreturn || declarator.attributes.noreturn;
  decl->linkage = spec.storage == StorageClass::static_ ? Linkage::internal : Linkage::external;
  decl->uses_upc = mentions_shared(type) || spec.uses_upc;
  decl->wants_place = options_.upc && names_place(decl->name->text) && unit_.source.in_system_header(decl->loc);
  if (!declarator.chunks.empty() && declarator.chunks[0].kind == DeclaratorChunk::Kind::function)
    decl->params = declarator.chunks[0].params;
  const MessageName name{decl->name};
  if (spec.is_thread) error(decl->loc, "function " + name + " declared thread-local");
  if (spec.storage == StorageClass::auto_ || spec.storage == StorageClass::register_ ||
      (spec.storage == StorageClass::static_ && !at_file_scope())) {
    error(decl->loc, "invalid storage class for function " + name);
  }
  Decl* old = decl->name->ordinary;
  if (old != nullptr && old->scope_depth == scope_depth()) {
    auto* f = decl_cast<FunctionDecl>(old);
    if (f != nullptr && f->is_builtin)
      f = nullptr;
    else if (same_kind_or_report(decl, old))
      merge_function(decl, f);
  } else if (auto* external = decl->name->external; external != nullptr) {
    if (same_kind_or_report(decl, external)) merge_function(decl, static_cast<FunctionDecl*>(external));
  }
  bind(decl->name, decl);
  decl->name->external = decl;
  declared_functions_.push_back(decl);
  return decl;
}

void Sema::merge_function(FunctionDecl* decl, FunctionDecl* old) {
  const MessageName name{decl->name};
  if (!compatible_unqualified(decl->type, old->type)) {
    error(decl->loc, "conflicting types for " + name + "; have " + quoted(decl->type));
    note_previous(old);
    return;
  }
  if (decl->linkage == Linkage::internal && old->linkage == Linkage::external) {
    error(decl->loc, "static declaration of " + name + " follows non-static declaration");
    note_previous(old);
  }
  if (old->linkage == Linkage::internal) decl->linkage = Linkage::internal;
  decl->previous = old;
  decl->used = old->used;
  decl->is_inline = decl->is_inline || old->is_inline;
  decl->noreturn = decl->noreturn || old->noreturn;
  decl->definition = old->body != nullptr ? old : old->definition;
  if (decl->params.empty() && !old->params.empty() && decl->function_type()->params.empty()) decl->params = old->params;
  decl->type = composite(types_, decl->type, old->type);
}

// 6.9.1: checks the declarator of a definition, enters its scope and binds its parameters.
FunctionDecl* Sema::start_function(const DeclSpec& spec, Declarator& declarator, std::vector<ParamDecl*>& kr_params) {
  errors_before_function_ = diagnostics_.plain_error_count();
  DeclaratorChunk* chunk = declarator.chunks.empty() ? nullptr : &declarator.chunks[0];
  const MessageName name{declarator.name};
  if (spec.storage == StorageClass::typedef_) error(spec.storage_loc, "function definition declared 'typedef'");
  DeclSpec fixed = spec;
  if (fixed.storage == StorageClass::typedef_) fixed.storage = StorageClass::none;
  if (chunk != nullptr && !chunk->kr_names.empty()) {
    std::vector<ParamDecl*> ordered;
    for (Name* wanted : chunk->kr_names) {
      ParamDecl* found = nullptr;
      for (ParamDecl* p : kr_params) {
        if (p->name == wanted) found = p;
      }
      if (found == nullptr) {
        found = unit_.arena.make<ParamDecl>();
        found->kind = DeclKind::param;
        found->name = wanted;
        found->loc = declarator.loc;
        found->type = types_.int_type();
        warn(declarator.loc, "implicit-int", "type of " + quoted(wanted->text) + " defaults to 'int'");
      }
      ordered.push_back(found);
    }
    for (const ParamDecl* p : kr_params) {
      bool listed = false;
      for (const Name* wanted : chunk->kr_names) listed = listed || p->name == wanted;
      if (!listed) error(p->loc, "declaration for parameter " + quoted(p->name->text) + " but no such parameter");
    }
    chunk->params = unit_.arena.copy(ordered);
  }
  Decl* decl = nullptr;
  {
    QualType type = declarator_type(fixed, declarator, DeclaratorContext::file);
    // An old-style definition has no prototype, yet its parameters are known.
    if (chunk != nullptr && !chunk->kr_names.empty()) {
      type = types_.function(static_cast<const FunctionType*>(type.type)->result, {}, false, false, false);
    }
    decl = declare_function(fixed, declarator, type);
  }
  auto* function = static_cast<FunctionDecl*>(decl);
  if (chunk != nullptr) function->params = chunk->params;
  if (function->definition != nullptr && !function->invalid) {
    error(function->loc, "redefinition of " + name);
    note(function->definition->loc,
         "previous definition of " + name + " with type " + quoted(function->definition->type));
  }
  const QualType result = function->function_type()->result;
  if (!result->is_void() && !TypeContext::is_complete(result) && !result->is_unknown()) {
    error(function->loc, "return type is an incomplete type");
  }
  function_ = function;
  diagnostics_.set_function(function->name->text);
  push_scope();
  for (ParamDecl* p : function->params) {
    if (p->type->is_unknown()) p->invalid = true;
    if (p->name == nullptr) {
      warn(p->loc == kNoLoc ? function->loc : p->loc, "pedantic",
           "ISO C does not support omitting parameter names in function definitions before C2X", WarnLevel::pedantic);
      continue;
    }
    if (!TypeContext::is_complete(p->type) && !p->type->is_unknown()) {
      error(p->loc, "parameter " + quoted(p->name->text) + " has incomplete type");
      p->invalid = true;
    }
    bind(p->name, p);
  }
  for (Name* n : undeclared_) n->reported_undeclared = false;
  undeclared_.clear();
  return function;
}

void Sema::finish_function(FunctionDecl* function, CompoundStmt* body) {
  function->body = body;
  for (FunctionDecl* declared = function; declared != nullptr; declared = declared->previous)
    declared->definition = function;
  function->uses_upc = function->uses_upc || (body != nullptr && body->uses_upc);
  resolve_gotos();
  // An error in another function keeps no warning about this one back.
  const bool correct = diagnostics_.plain_error_count() == errors_before_function_;
  if (options_.upc && correct) check_usage(function, unit_, constants_, diagnostics_);
  pop_scope();
  for (Name* name : function_labels_) name->label = nullptr;
  function_labels_.clear();
  function_ = nullptr;
  diagnostics_.set_function({});
  for (Name* n : undeclared_) n->reported_undeclared = false;
  undeclared_.clear();
}

}  // namespace upcc
