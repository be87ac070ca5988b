#include "parse/parser.hpp"

// Declarations, function definitions and initialisers (C11 6.7, 6.7.9, 6.9).

namespace upcc {

using enum TokenKind;

DeclGroup* Parser::new_group(GroupKind kind, std::size_t start) {
  auto* group = unit_.arena.make<DeclGroup>();
  group->kind = kind;
  group->tokens.first = static_cast<std::uint32_t>(start);
  group->in_system_header = (tokens_[start].flags & Token::kSystem) != 0;
  return group;
}

// 6.9 external-declaration: function-definition | declaration; GNU: asm, stray semicolons
DeclGroup* Parser::external_declaration() {
  const std::size_t start = pos_;
  if (at(semicolon)) {
    diagnostics_.warning(tok().loc, "pedantic", "ISO C does not allow extra ';' outside of a function",
                         WarnLevel::pedantic);
    advance();
    DeclGroup* group = new_group(GroupKind::empty, start);
    group->tokens = since(start);
    return group;
  }
  if (at(kw_asm)) return file_asm();
  return declaration(DeclaratorContext::file);
}

// GNU asm ( "..." ) ;
DeclGroup* Parser::file_asm() {
  const std::size_t start = pos_;
  DeclGroup* group = new_group(GroupKind::file_asm, start);
  advance();
  if (at(kw_volatile) || at(kw_inline)) advance();
  asm_string();
  expect(semicolon);
  group->tokens = since(start);
  return group;
}

// 6.7.10 static_assert-declaration
DeclGroup* Parser::static_assert_declaration() {
  const std::size_t start = pos_;
  const Loc loc = tok().loc;
  const std::uint64_t uses = upc_uses_;
  DeclGroup* group = new_group(GroupKind::static_assert_, start);
  advance();
  expect(l_paren);
  Expr* condition = constant_expression();
  Expr* message = nullptr;
  if (accept(comma)) {
    if (!at(string)) fail("expected string literal");
    message = primary_expression();
  }
  expect(r_paren);
  expect(semicolon);
  sema_.static_assertion(condition, message, loc);
  group->tokens = since(start);
  group->uses_upc = upc_uses_ != uses;
  return group;
}

bool Parser::is_function_definition(const Declarator& d) const {
  if (d.chunks.empty() || d.chunks[0].kind != DeclaratorChunk::Kind::function) return false;
  if (at(l_brace)) return true;
  // Old style: declarations of the parameters come before the body.
  return !d.chunks[0].kr_names.empty() && !at(semicolon) && !at(comma) && !at(equal) &&
         (is_type_start(tok()) || at(kw_register));
}

// 6.7 declaration: declaration-specifiers [init-declarator-list] ;
DeclGroup* Parser::declaration(DeclaratorContext context) {
  if (at(kw_static_assert)) return static_assert_declaration();
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  DeclGroup* group = new_group(GroupKind::declaration, start);
  Attributes leading;
  attributes(leading);
  if (leading.loc != kNoLoc && at(semicolon)) {
    advance();
    group->kind = GroupKind::empty;
    group->tokens = since(start);
    return group;
  }
  DeclSpec spec = specifiers(true);
  spec.attributes.merge(leading);
  group->specifiers = spec.tokens;
  group->specifiers_use_upc = spec.uses_upc;
  group->tag = spec.tag;
  group->defines_tag = spec.defines_tag;
  if (at(semicolon)) {
    if (spec.tokens.first == spec.tokens.last) fail("expected declaration specifiers");
    if (spec.tag != nullptr) spec.tag->used = true;
    sema_.check_empty_declaration(spec, false);
    advance();
    group->tokens = since(start);
    group->uses_upc = upc_uses_ != uses;
    return group;
  }
  if (spec.implicit_int && spec.tokens.first == spec.tokens.last && !at(identifier) &&
      !(context == DeclaratorContext::file && at(star))) {
    fail_at(tok().loc, (context == DeclaratorContext::file ? "expected identifier or '(' " : "expected declaration ") +
                           before() + about_keyword());
  }
  const std::size_t declarator_start = pos_;
  Declarator first = declarator(NameRule::required, context);
  first.tokens = since(declarator_start);
  const bool function = !first.chunks.empty() && first.chunks[0].kind == DeclaratorChunk::Kind::function;
  if (spec.implicit_int) {
    const std::string name = "'" + std::string(first.name->text) + "'";
    if (spec.tokens.first == spec.tokens.last && !function) {
      if (context == DeclaratorContext::file)
        diagnostics_.warning(first.loc, "", "data definition has no type or storage class");
    }
    if (function && is_function_definition(first))
      diagnostics_.warning(first.loc, "implicit-int", "return type defaults to 'int'");
    else
      diagnostics_.warning(first.loc, "implicit-int", "type defaults to 'int' in declaration of " + name);
  }
  if (is_function_definition(first)) {
    if (context != DeclaratorContext::file) {
      diagnostics_.error(first.loc, "nested functions are not supported: define '" + std::string(first.name->text) +
                                        "' at file scope; is a '}' missing before it?");
      DeclSpec plain = spec;
      plain.storage = StorageClass::none;
      sema_.declare(plain, first, context);  // calls of it are right
      skip_balanced();
      group->kind = GroupKind::empty;
      group->tokens = since(start);
      return group;
    }
    function_definition(group, spec, first);
  } else {
    init_declarators(group, spec, first, context);
    context == DeclaratorContext::for_init ? expect(semicolon) : end_of_statement();
  }
  group->tokens = since(start);
  group->uses_upc = upc_uses_ != uses;
  return group;
}

// init-declarator-list: init-declarator { , init-declarator }
void Parser::init_declarators(DeclGroup* group, const DeclSpec& spec, Declarator& first, DeclaratorContext context) {
  std::vector<Decl*> decls;
  decls.push_back(init_declarator(spec, first, context, first.tokens.first));
  while (accept(comma)) {
    const std::size_t start = pos_;
    Attributes attrs;
    attributes(attrs);
    Declarator next = declarator(NameRule::required, context);
    next.attributes.merge(attrs);
    next.tokens = since(start);
    decls.push_back(init_declarator(spec, next, context, start));
  }
  group->decls = unit_.arena.copy(decls);
}

// init-declarator: declarator [= initializer]
Decl* Parser::init_declarator(const DeclSpec& spec, Declarator& d, DeclaratorContext context, std::size_t start) {
  const std::uint64_t uses = upc_uses_;
  if (spec.is_auto_type) {
    if (!at(equal)) fail_at(d.loc, "declaration with '__auto_type' requires an initializer");
    advance();
    Decl* decl = sema_.declare_auto_type(spec, d, assignment_expression());
    decl->tokens = since(start);
    decl->uses_upc = decl->uses_upc || spec.uses_upc || upc_uses_ != uses;
    return decl;
  }
  Decl* decl = sema_.declare(spec, d, context);
  decl->in_system_header = (tokens_[start].flags & Token::kSystem) != 0;
  if (auto* variable = decl_cast<VarDecl>(decl)) variable->in_c_code = (tokens_[start].flags & Token::kC) != 0;
  if (at(equal)) {
    const Loc loc = tok().loc;
    advance();
    Sema::SyntaxInit* init = initializer();
    auto* variable = decl_cast<VarDecl>(decl);
    if (variable == nullptr) {
      sema_.attach_initialiser(decl, nullptr, loc);
    } else {
      const bool is_static = variable->duration != StorageDuration::automatic;
      if (variable->type->variably_modified && variable->type->is_array() && !variable->invalid) {
        const Expr* count = variable->type->as<ArrayType>()->count_expr;
        diagnostics_.error(d.loc, "variable-sized object may not be initialized" +
                                      (count == nullptr ? std::string() : sema_.advice_on_constants(count)));
      } else {
        Expr* value = sema_.initialise(variable->type, init, is_static, is_static);
        if (value->uses_upc) ++upc_uses_;
        sema_.attach_initialiser(decl, value, loc);
      }
    }
  }
  decl->tokens = since(start);
  sema_.finish_declaration(decl);
  if (mentions_shared(decl->type)) ++upc_uses_;
  decl->uses_upc = decl->uses_upc || spec.uses_upc || upc_uses_ != uses;
  return decl;
}

// 6.9.1 declaration-list of an old-style definition
void Parser::kr_declarations(std::vector<ParamDecl*>& params) {
  while (!at(l_brace) && !at(end_of_file)) {
    const DeclSpec spec = specifiers(true);
    if (spec.tokens.first == spec.tokens.last) fail("expected declaration specifiers");
    if (!at(semicolon)) {
      do {
        Declarator d = declarator(NameRule::required, DeclaratorContext::param);
        params.push_back(sema_.declare_param(spec, d));
      } while (accept(comma));
    }
    expect(semicolon);
  }
}

// 6.9.1 function-definition: declaration-specifiers declarator [declaration-list] compound-statement
void Parser::function_definition(DeclGroup* group, const DeclSpec& spec, Declarator& d) {
  group->kind = GroupKind::function_definition;
  const std::uint64_t uses = upc_uses_;
  std::vector<ParamDecl*> kr_params;
  if (!at(l_brace)) {
    const Scope scope(sema_);
    kr_declarations(kr_params);
  }
  if (!at(l_brace)) fail("expected '{'");
  FunctionDecl* function = sema_.start_function(spec, d, kr_params);
  function->in_system_header = group->in_system_header;
  const bool strict = sema_.strict_mode();
  CompoundStmt* body = nullptr;
  try {
    body = compound_statement(false);
  } catch (const SyntaxError&) {
    sema_.set_strict_mode(strict);
    sema_.finish_function(function, nullptr);
    throw;
  }
  sema_.finish_function(function, body);
  function->tokens = {group->tokens.first, index()};
  function->uses_upc = function->uses_upc || spec.uses_upc || upc_uses_ != uses;
  std::vector<Decl*> decls{function};
  group->decls = unit_.arena.copy(decls);
}

// 6.7.9 initializer: assignment-expression | { initializer-list [,] }
Sema::SyntaxInit* Parser::initializer() {
  const Depth depth(*this);
  if (at(l_brace)) return initializer_list();
  const std::size_t start = pos_;
  auto* init = unit_.arena.make<Sema::SyntaxInit>();
  init->loc = tok().loc;
  init->expr = assignment_expression();
  init->tokens = since(start);
  return init;
}

// { [designation] initializer { , [designation] initializer } [,] }
Sema::SyntaxInit* Parser::initializer_list() {
  const std::size_t start = pos_;
  auto* out = unit_.arena.make<Sema::SyntaxInit>();
  out->loc = tok().loc;
  out->braced = true;
  advance();
  std::vector<Sema::SyntaxInit*> items;
  while (!at(r_brace)) {
    const auto designators = designation();
    Sema::SyntaxInit* item = initializer();
    item->designators = designators;
    items.push_back(item);
    if (!accept(comma)) break;
  }
  expect(r_brace);
  out->list = unit_.arena.copy(items);
  out->tokens = since(start);
  return out;
}

// designation: designator { designator } =; GNU: [a ... b], `[i] value` and `field: value`
std::span<Sema::Designator> Parser::designation() {
  std::vector<Sema::Designator> path;
  if (at(identifier) && peek().is(colon)) {
    Sema::Designator d;
    d.loc = tok().loc;
    d.field = member_name();
    advance();
    path.push_back(d);
    return unit_.arena.copy(path);
  }
  while (at(dot) || at(l_square)) {
    Sema::Designator d;
    d.loc = tok().loc;
    if (accept(dot)) {
      d.loc = tok().loc;
      d.field = member_name();
    } else {
      advance();
      d.low = constant_expression();
      if (accept(ellipsis)) d.high = constant_expression();
      expect(r_square);
    }
    path.push_back(d);
  }
  if (!path.empty() && !accept(equal)) {
    if (path.size() > 1 || path.back().field != nullptr) expect(equal);  // only `[i] value` does without
  }
  return unit_.arena.copy(path);
}

}  // namespace upcc
