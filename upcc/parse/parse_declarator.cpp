#include "parse/parser.hpp"

// Declarators, abstract declarators and parameters (C11 6.7.6, 6.7.7; UPC 6.5.2).

namespace upcc {

using enum TokenKind;

// declarator: [pointer] direct-declarator. Chunks are gathered from the name outward.
Declarator Parser::declarator(NameRule rule, DeclaratorContext context) {
  Declarator out;
  const std::size_t start = pos_;
  out.loc = tok().loc;
  declarator_part(out, rule, context);
  asm_label();
  attributes(out.attributes);
  out.tokens = since(start);
  return out;
}

// pointer: * [type-qualifier-list] [pointer]
void Parser::declarator_part(Declarator& out, NameRule rule, DeclaratorContext context) {
  const Depth depth(*this);
  std::vector<DeclaratorChunk> pointers;
  for (;;) {
    Attributes attrs;
    attributes(attrs);
    out.attributes.merge(attrs);
    if (!at(star)) break;
    DeclaratorChunk chunk;
    chunk.kind = DeclaratorChunk::Kind::pointer;
    chunk.loc = tok().loc;
    advance();
    for (;;) {
      if (attributes(chunk.attributes)) continue;
      if (!at(kw_const) && !at(kw_volatile) && !at(kw_restrict) && !at(kw_atomic) && !at(kw_shared) && !at(kw_strict) &&
          !at(kw_relaxed))
        break;
      qualifier(chunk.qualifiers);
    }
    out.attributes.merge(chunk.attributes);
    pointers.push_back(chunk);
  }
  direct_declarator(out, rule, context);
  // `* * name [3]`: the suffixes bind tighter than the pointers, the last pointer tighter than the first.
  for (std::size_t i = pointers.size(); i-- > 0;) out.chunks.push_back(pointers[i]);
}

// direct-declarator: identifier | ( declarator ) followed by array and function suffixes
void Parser::direct_declarator(Declarator& out, NameRule rule, DeclaratorContext context) {
  if (at(identifier) && rule != NameRule::forbidden) {
    out.name = tok().name;
    out.loc = tok().loc;
    advance();
  } else if (at(l_paren)) {
    // In an abstract declarator `(` may start a parameter list instead.
    const bool parameters =
        rule != NameRule::required && (peek().is(r_paren) || peek().is(ellipsis) ||
                                       (is_type_start(peek()) && !peek().is(kw_attribute)) || peek().is(kw_register));
    if (!parameters) {
      advance();
      declarator_part(out, rule, context);
      expect(r_paren);
    }
  } else if (rule == NameRule::required) {
    fail_at(tok().loc, "expected identifier or '(' " + before() + about_keyword());
  }
  declarator_suffixes(out, context, true);
}

void Parser::declarator_suffixes(Declarator& out, DeclaratorContext context, bool) {
  for (;;) {
    if (at(l_square) && !peek().is(l_square)) {
      out.chunks.push_back(array_suffix(context));
    } else if (at(l_paren)) {
      out.chunks.push_back(function_suffix());
    } else if (at(l_square) && peek().is(l_square)) {
      attributes(out.attributes);
    } else {
      return;
    }
  }
}

// [ [static] [type-qualifier-list] [assignment-expression | *] ]
DeclaratorChunk Parser::array_suffix(DeclaratorContext) {
  DeclaratorChunk chunk;
  chunk.kind = DeclaratorChunk::Kind::array;
  chunk.loc = tok().loc;
  advance();
  for (;;) {
    if (at(kw_static)) {
      chunk.is_static = true;
      advance();
    } else if (at(kw_const) || at(kw_volatile) || at(kw_restrict) || at(kw_atomic)) {
      qualifier(chunk.qualifiers);
    } else {
      break;
    }
  }
  if (at(star) && peek().is(r_square)) {
    advance();
    chunk.is_star = true;
  } else if (!at(r_square)) {
    chunk.size = assignment_expression();
  } else if (chunk.is_static) {
    fail("expected expression");
  }
  expect(r_square);
  return chunk;
}

// ( parameter-type-list ) | ( [identifier-list] )
DeclaratorChunk Parser::function_suffix() {
  const Depth depth(*this);
  DeclaratorChunk chunk;
  chunk.kind = DeclaratorChunk::Kind::function;
  chunk.loc = tok().loc;
  advance();
  if (accept(r_paren)) {
    chunk.has_prototype = false;
    return chunk;
  }
  if (at(identifier) && !sema_.is_type_name(tok().name) && (peek().is(comma) || peek().is(r_paren))) {
    std::vector<Name*> names;
    do {
      if (!at(identifier)) fail("expected identifier");
      names.push_back(tok().name);
      advance();
    } while (accept(comma));
    expect(r_paren);
    chunk.has_prototype = false;
    chunk.kr_names = unit_.arena.copy(names);
    return chunk;
  }
  if (at(kw_void) && peek().is(r_paren)) {
    advance();
    advance();
    return chunk;
  }
  const Scope scope(sema_);
  std::vector<ParamDecl*> params;
  do {
    if (at(ellipsis)) {
      if (params.empty()) diagnostics_.error(tok().loc, "ISO C requires a named argument before '...'");
      advance();
      chunk.variadic = true;
      break;
    }
    params.push_back(parameter());
  } while (accept(comma));
  expect(r_paren);
  for (const ParamDecl* p : params) {
    if (!p->type->is_void() || p->invalid) continue;
    diagnostics_.error(p->loc, p->name != nullptr ? "parameter '" + std::string(p->name->text) + "' has incomplete type"
                                                  : std::string("'void' must be the only parameter"));
  }
  chunk.params = unit_.arena.copy(params);
  return chunk;
}

// parameter-declaration: declaration-specifiers (declarator | [abstract-declarator])
ParamDecl* Parser::parameter() {
  const std::size_t start = pos_;
  if (!is_type_start(tok()) && !at(kw_register) && !at(kw_extension) && !at(kw_static) && !at(kw_extern) &&
      !at(kw_typedef) && !at(kw_auto) && !(at(identifier) && !at(r_paren)) && !(at(l_square) && peek().is(l_square))) {
    fail("expected declaration specifiers or '...'");
  }
  if (at(identifier) && !sema_.is_type_name(tok().name)) {
    report_unknown_type();
    DeclSpec spec;
    spec.loc = tok().loc;
    spec.type = sema_.types().unknown();
    advance();
    Declarator d = declarator(NameRule::optional, DeclaratorContext::param);
    return sema_.declare_param(spec, d);
  }
  const DeclSpec spec = specifiers(true);
  if (spec.is_auto_type) fail_at(spec.loc, "'__auto_type' in the declaration of a parameter");
  if (spec.implicit_int)
    diagnostics_.warning(spec.loc, "implicit-int", "type defaults to 'int' in declaration of parameter");
  Declarator d = declarator(NameRule::optional, DeclaratorContext::param);
  ParamDecl* param = sema_.declare_param(spec, d);
  param->tokens = since(start);
  return param;
}

}  // namespace upcc
