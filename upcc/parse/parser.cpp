#include "parse/parser.hpp"

namespace upcc {

using enum TokenKind;

Parser::Parser(TranslationUnit& unit, Sema& sema, Diagnostics& diagnostics)
    : unit_(unit), sema_(sema), diagnostics_(diagnostics), tokens_(unit.tokens.tokens) {}

Loc Parser::previous_end() const {
  if (pos_ == 0) return tok().loc;
  const Token& t = tokens_[pos_ - 1];
  return t.loc + (t.length == 0 ? 0 : t.length - 1);
}

// How messages name the token at which parsing stopped, as gcc does.
std::string Parser::before() const {
  const Token& t = tok();
  switch (t.kind) {
    case end_of_file:
      return "at end of input";
    case identifier:
      return "before '" + std::string(t.name->text) + "'";
    case number:
      return "before numeric constant";
    case character:
      return "before character constant";
    case string:
      return "before string constant";
    default:
      if (t.is_keyword()) return "before '" + std::string(t.name->text) + "'";
      return "before '" + std::string(spelling(t.kind)) + "' token";
  }
}

void Parser::fail_at(Loc loc, const std::string& message) {
  if (!stop_) diagnostics_.error(loc, message);
  throw SyntaxError{};
}

void Parser::fail(std::string_view what) { fail_at(tok().loc, std::string(what) + " " + before()); }

void Parser::expect(TokenKind kind) {
  if (at(kind)) {
    advance();
    return;
  }
  const bool closes = kind == semicolon || kind == comma || kind == r_paren || kind == r_square;
  fail_at(closes ? previous_end() : tok().loc, "expected '" + std::string(spelling(kind)) + "' " + before());
}

void Parser::too_deep() {
  if (!stop_) diagnostics_.error(tok().loc, "program is nested too deeply (limit 10000 levels)");
  stop_ = true;
  pos_ = tokens_.size() - 1;
  throw SyntaxError{};
}

void Parser::pragmas(Sema::PragmaPlace place) {
  const auto& lines = unit_.tokens.pragmas;
  while (next_pragma_ < lines.size() && lines[next_pragma_].before_token <= pos_) {
    const PragmaLine& line = lines[next_pragma_++];
    sema_.pragma(line, line.before_token == pos_ ? place : Sema::PragmaPlace::elsewhere);
  }
}

// Skips one bracketed group or one token.
void Parser::skip_balanced() {
  int open = 0;
  do {
    switch (tok().kind) {
      case l_paren:
      case l_square:
      case l_brace:
        ++open;
        break;
      case r_paren:
      case r_square:
      case r_brace:
        --open;
        break;
      case end_of_file:
        return;
      default:
        break;
    }
    advance();
  } while (open > 0);
}

// Resumes behind the `;` of a broken statement, or before the `}` of its block.
void Parser::skip_statement() {
  while (!at(end_of_file) && !at(r_brace)) {
    if (at(semicolon)) {
      advance();
      return;
    }
    const bool block = at(l_brace);
    skip_balanced();
    if (block) return;
  }
}

void Parser::skip_external() {
  while (!at(end_of_file)) {
    if (at(semicolon)) {
      advance();
      return;
    }
    if (at(r_brace)) {
      advance();
      if (at(semicolon)) advance();
      return;
    }
    const bool block = at(l_brace);
    skip_balanced();
    if (block) {
      if (at(semicolon)) advance();
      return;
    }
  }
}

// 6.9 translation-unit
void Parser::translation_unit() {
  for (;;) {
    pragmas(Sema::PragmaPlace::file_scope);
    if (at(end_of_file) || stop_ || diagnostics_.gave_up()) break;
    const std::size_t start = pos_;
    try {
      if (DeclGroup* group = external_declaration()) unit_.groups.push_back(group);
    } catch (const SyntaxError&) {
      if (stop_) break;
      if (pos_ == start && !at(l_brace)) advance();
      skip_external();
    }
  }
  sema_.finish_unit();
}

}  // namespace upcc
