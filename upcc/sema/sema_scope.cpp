#include "sema/sema.hpp"

namespace upcc {

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }
std::string quoted(QualType type) { return "'" + type_string(type) + "'"; }
std::string text_of(const MessageName& name) {
  return name.name == nullptr ? std::string(name.instead) : std::string(name.before) + quoted(name.name->text);
}

Sema::Sema(TranslationUnit& unit, Diagnostics& diagnostics, SemaOptions options)
    : unit_(unit),
      diagnostics_(diagnostics),
      options_(options),
      types_(unit.arena, unit.names),
      constants_(types_, unit.static_threads) {
  const auto predeclare = [&](std::string_view text, QualType type) {
    auto* decl = unit_.arena.make<TypedefDecl>();
    decl->kind = DeclKind::typedef_;
    decl->name = unit_.names.intern(text);
    decl->type = type;
    decl->in_system_header = true;
    decl->name->ordinary = decl;
  };
  predeclare("__builtin_va_list", types_.va_list_type());
  predeclare("__int128_t", types_.builtin(TypeKind::int128));
  predeclare("__uint128_t", types_.builtin(TypeKind::uint128));
}

void Sema::push_scope() { scopes_.push_back({undo_.size(), label_undo_.size(), vm_decls_.size()}); }

void Sema::pop_scope() {
  const ScopeState state = scopes_.back();
  scopes_.pop_back();
  while (undo_.size() > state.undo_mark) {
    const Undo& u = undo_.back();
    if (u.is_tag) {
      u.name->tag = static_cast<TagDecl*>(u.previous);
    } else {
      u.name->ordinary = static_cast<Decl*>(u.previous);
    }
    undo_.pop_back();
  }
  while (label_undo_.size() > state.label_mark) {
    label_undo_.back().name->label = label_undo_.back().previous;
    label_undo_.pop_back();
  }
  vm_decls_.resize(state.vm_mark);
}

void Sema::bind(Name* name, Decl* decl) {
  decl->scope_depth = scope_depth();
  if (!at_file_scope()) undo_.push_back({name, name->ordinary, false});
  name->ordinary = decl;
}

void Sema::bind_tag(Name* name, TagDecl* decl) {
  decl->scope_depth = scope_depth();
  if (!at_file_scope()) undo_.push_back({name, name->tag, true});
  name->tag = decl;
}

void Sema::adopt(Expr* parent, const Expr* child) {
  parent->uses_upc = parent->uses_upc || child->uses_upc;
  parent->has_side_effects = parent->has_side_effects || child->has_side_effects;
  if (child->depth >= parent->depth) parent->depth = child->depth + 1;
  constexpr std::uint32_t kMaxDepth = 100000;
  if (parent->depth > kMaxDepth && !depth_reported_) {
    depth_reported_ = true;
    error(parent->loc, "expression is nested too deeply (limit 100000 operators)");
  }
}

SourceRange Sema::range_of(const Expr* e) const {
  if (e->tokens.first >= e->tokens.last) return {};
  const Token& last = unit_.tokens.tokens[e->tokens.last - 1];
  return {unit_.tokens.tokens[e->tokens.first].loc, last.loc + last.length};
}

bool Sema::complete_or_report(QualType type, Loc loc, std::string_view what) {
  if (type->is_unknown() || TypeContext::is_complete(type)) return true;
  error(loc, std::string(what) + " has " + std::string(incomplete_word(type)) + " type " + quoted(type));
  return false;
}

}  // namespace upcc
