#include "parse/parser.hpp"
#include "sema/target.hpp"

// GNU attributes, C2x attributes and asm labels.

namespace upcc {

using enum TokenKind;

namespace {

std::string_view bare(std::string_view name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) return name.substr(2, name.size() - 4);
  return name;
}

}  // namespace

// { __attribute__ (( attribute-list )) | [[ attribute-list ]] }; returns whether there was one.
bool Parser::attributes(Attributes& out) {
  bool any = false;
  for (;;) {
    if (at(l_square) && peek().is(l_square)) {
      any = true;
      out.loc = tok().loc;
      advance();
      advance();
      do {
        if (!at(comma) && !at(r_square)) attribute(out);
      } while (accept(comma));
      expect(r_square);
      expect(r_square);
      continue;
    }
    if (!at(kw_attribute)) return any;
    any = true;
    out.loc = tok().loc;
    advance();
    expect(l_paren);
    expect(l_paren);
    do {
      if (!at(comma) && !at(r_paren)) attribute(out);
    } while (accept(comma));
    expect(r_paren);
    expect(r_paren);
  }
}

void Parser::attribute(Attributes& out) {
  const auto word = [&] {
    if (tok().name == nullptr) fail("expected attribute name");
    const Name* name = tok().name;
    if (pos_ + 1 < tokens_.size()) ++pos_;
    return bare(name->text);
  };
  const Loc loc = tok().loc;
  std::string_view name = word();
  if (at(colon) && peek().is(colon)) {  // gnu::packed
    advance();
    advance();
    name = word();
  }
  if (name == "packed")
    out.packed = true;
  else if (name == "transparent_union")
    out.transparent_union = true;
  else if (name == "noreturn")
    out.noreturn = true;
  else if (name == "alias" || name == "weakref" || name == "ifunc")
    out.alias = true;
  if (name == "aligned" && !at(l_paren)) out.align = target::kBiggestAlign;
  if (!at(l_paren)) return;
  if (name == "aligned" || name == "vector_size") {
    advance();
    Expr* e = assignment_expression();
    expect(r_paren);
    if (name == "aligned") {
      out.align = std::max(out.align, sema_.alignment_value(e, loc));
    } else {
      Int128 n = 0;
      if (!sema_.constants().integer(sema_.value(e), n) || n <= 0 || n > (1 << 20)) {
        diagnostics_.error(loc, "'vector_size' attribute argument is not a positive integer constant");
      } else {
        out.vector_bytes = static_cast<std::int64_t>(n);
      }
    }
    return;
  }
  if (name == "mode" && peek().name != nullptr) out.mode = peek().name;
  check_attribute_arguments();
  skip_balanced();
}

// Arguments of attributes that mean nothing here are the C compiler's to read, but they must be separated.
void Parser::check_attribute_arguments() {
  const auto is_operand = [](const Token& t) { return t.is(identifier) || t.is(number) || t.is(character); };
  int open = 0;
  for (std::size_t i = pos_; i + 1 < tokens_.size(); ++i) {
    open += tokens_[i].is(l_paren) ? 1 : tokens_[i].is(r_paren) ? -1 : 0;
    if (open == 0) return;
    if (!is_operand(tokens_[i]) || !(is_operand(tokens_[i + 1]) || tokens_[i + 1].is(string))) continue;
    pos_ = i + 1;
    fail("expected ')'");
  }
}

// ( "text" )
void Parser::asm_string() {
  expect(l_paren);
  if (!at(string)) fail("expected string literal");
  while (at(string)) advance();
  expect(r_paren);
}

// asm ( "name" ) behind a declarator
void Parser::asm_label() {
  if (!at(kw_asm)) return;
  advance();
  asm_string();
}

}  // namespace upcc
