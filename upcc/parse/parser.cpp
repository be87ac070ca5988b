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

// Behind the message about a missing name: that this token, or the one before it, would be one in C.
std::string Parser::about_keyword() const {
  for (const Token* token : {&tok(), pos_ > 0 ? &tokens_[pos_ - 1] : &tok()}) {
    if (token->is_upc_keyword()) return "; '" + std::string(token->name->text) + "' is a keyword of UPC";
  }
  return {};
}

void Parser::fail_at(Loc loc, const std::string& message, const Marks& marks) {
  if (!stop_) diagnostics_.error(loc, message, marks);
  throw SyntaxError{};
}

void Parser::fail(std::string_view what) { fail_at(tok().loc, std::string(what) + " " + before()); }

void Parser::expect(TokenKind kind) {
  if (at(kind)) {
    advance();
    return;
  }
  const bool closes = kind == semicolon || kind == comma || kind == r_paren || kind == r_square;
  const std::string word(spelling(kind));
  const std::string message = "expected '" + word + "' " + before();
  if (!closes) fail_at(tok().loc, message);
  const Loc end = previous_end();
  fail_at(end, message, {{}, {{{end + 1, end + 1}, word}}});
}

// The bracket that closes the one at `open`.
void Parser::expect_close(TokenKind kind, Loc open) {
  if (accept(kind)) return;
  try {
    expect(kind);
  } catch (const SyntaxError&) {
    if (!stop_) diagnostics_.note(open, "to match this '" + std::string(kind == r_paren ? "(" : "[") + "'");
    throw;
  }
}

// The `;` that ends a statement or declaration. Where it is missing before the next line or the end of the block,
// parsing goes on as if it were there.
void Parser::end_of_statement() {
  if (accept(semicolon)) return;
  missing_semicolon("expected ';' " + before());
}

void Parser::missing_semicolon(const std::string& message) {
  const Loc end = previous_end();
  const Marks marks{{}, {{{end + 1, end + 1}, ";"}}};
  const bool goes_on = (tok().flags & Token::kLineStart) != 0 || at(r_brace);
  if (!goes_on) fail_at(end, message, marks);
  if (!stop_) diagnostics_.error(end, message, marks);
}

// Whether the token can be the first one of an expression.
bool Parser::begins_expression() const {
  switch (tok().kind) {
    case identifier:
    case number:
    case character:
    case string:
    case l_paren:
    case plus_plus:
    case minus_minus:
    case amp:
    case star:
    case plus:
    case minus:
    case tilde:
    case bang:
    case amp_amp:
    case kw_sizeof:
    case kw_alignof:
    case kw_generic:
    case kw_real:
    case kw_imag:
    case kw_extension:
    case kw_func_name:
    case kw_builtin_va_arg:
    case kw_builtin_offsetof:
    case kw_builtin_types_compatible_p:
    case kw_builtin_choose_expr:
    case kw_mythread:
    case kw_threads:
    case kw_upc_localsizeof:
    case kw_upc_blocksizeof:
    case kw_upc_elemsizeof:
      return true;
    default:
      return false;
  }
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
