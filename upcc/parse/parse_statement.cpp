#include <algorithm>
#include <array>

#include "parse/parser.hpp"
#include "sema/spelling.hpp"
#include "sema/warnings.hpp"

// Statements (C11 6.8, UPC 6.6).

namespace upcc {

using enum TokenKind;

Stmt* Parser::statement() {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  Stmt* s = statement_inner();
  s->tokens = since(start);
  s->uses_upc = upc_uses_ != uses;
  return s;
}

Stmt* Parser::statement_inner() {
  const Loc loc = tok().loc;
  pragmas(Sema::PragmaPlace::elsewhere);
  switch (tok().kind) {
    case l_brace:
      return compound_statement(true);
    case semicolon:
      advance();
      return make_stmt<NullStmt>(loc);
    case kw_case:
      return case_statement();
    case kw_default:
      return default_statement();
    case kw_if:
      return if_statement();
    case kw_switch:
      return switch_statement();
    case kw_while:
      return while_statement();
    case kw_do:
      return do_statement();
    case kw_for:
    case kw_upc_forall:
      return for_statement();
    case kw_goto:
      return goto_statement();
    case kw_return:
      return return_statement();
    case kw_else:
      fail_at(loc, "'else' without a previous 'if'");
    case kw_asm:
      return asm_statement();
    case kw_upc_notify:
      return sync_statement(SyncKind::notify);
    case kw_upc_wait:
      return sync_statement(SyncKind::wait);
    case kw_upc_barrier:
      return sync_statement(SyncKind::barrier);
    case kw_upc_fence:
      return sync_statement(SyncKind::fence);
    case kw_break: {
      advance();
      auto* s = make_stmt<BreakStmt>(loc);
      sema_.check_break(s);
      end_of_statement();
      return s;
    }
    case kw_continue: {
      advance();
      auto* s = make_stmt<ContinueStmt>(loc);
      sema_.check_continue(s);
      end_of_statement();
      return s;
    }
    case identifier:
      if (peek().is(colon)) return labeled_statement();
      if (is_forall_by_another_name()) return for_statement();
      return expression_statement();
    case kw_attribute: {
      Attributes attrs;
      attributes(attrs);
      return statement();
    }
    case l_square:
      if (peek().is(l_square)) {
        Attributes attrs;
        attributes(attrs);
        return statement();
      }
      return expression_statement();
    default:
      return expression_statement();
  }
}

// 6.8.2 block-item: declaration | statement
Stmt* Parser::block_item() {
  if (!is_declaration_start() || (at(kw_attribute) && peek().is(semicolon))) return statement();
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  auto* s = make_stmt<DeclStmt>(tok().loc);
  s->group = declaration(DeclaratorContext::block);
  s->tokens = since(start);
  s->uses_upc = upc_uses_ != uses;
  return s;
}

// 6.8.2 compound-statement: { [block-item-list] }. UPC 6.7.1p4: pragmas at its start last until its end.
CompoundStmt* Parser::compound_statement(bool own_scope) {
  const Depth depth(*this);
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  auto* out = make_stmt<CompoundStmt>(tok().loc);
  expect(l_brace);
  const bool strict = sema_.strict_mode();
  if (own_scope) sema_.push_scope();
  std::vector<Stmt*> items;
  try {
    pragmas(Sema::PragmaPlace::block_start);
    while (at(kw_label)) {
      advance();
      do {
        if (!at(identifier)) fail("expected identifier");
        sema_.declare_local_label(tok().name, tok().loc);
        advance();
      } while (accept(comma));
      end_of_statement();
    }
    while (!at(r_brace) && !at(end_of_file) && !diagnostics_.gave_up()) {
      pragmas(Sema::PragmaPlace::elsewhere);
      try {
        items.push_back(block_item());
      } catch (const SyntaxError&) {
        if (stop_) throw;
        skip_statement();
      }
    }
    pragmas(Sema::PragmaPlace::elsewhere);
    if (!at(r_brace)) {
      if (!stop_) {
        diagnostics_.error(tok().loc, "expected declaration or statement at end of input");
        diagnostics_.note(out->loc, "to match this '{'");
      }
      throw SyntaxError{};
    }
    advance();
  } catch (const SyntaxError&) {
    sema_.set_strict_mode(strict);
    if (own_scope) sema_.pop_scope();
    throw;
  }
  sema_.set_strict_mode(strict);
  if (own_scope) sema_.pop_scope();
  out->items = unit_.arena.copy(items);
  out->tokens = since(start);
  out->uses_upc = upc_uses_ != uses;
  return out;
}

// 6.8.3 [expression] ;
Stmt* Parser::expression_statement() {
  auto* s = make_stmt<ExprStmt>(tok().loc);
  Expr* e = expression();
  s->expr = e->type->is_void() ? e : sema_.value(e);
  end_of_statement();
  const bool is_value = at(r_brace) && peek().is(r_paren);  // of ({ ... })
  if (!is_value) sema_.warn_unused_value(e);
  return s;
}

// What follows a label: a statement; GNU and C2x also a declaration or the end of the block.
Stmt* Parser::label_body() {
  Attributes attrs;
  attributes(attrs);
  if (at(r_brace)) {
    diagnostics_.warning(tok().loc, "pedantic", "label at end of compound statement", WarnLevel::pedantic);
    return make_stmt<NullStmt>(tok().loc);
  }
  if (is_declaration_start()) {
    diagnostics_.error(tok().loc, "a label can only be part of a statement and a declaration is not a statement");
    return block_item();
  }
  return statement();
}

// 6.8.1 identifier : statement
Stmt* Parser::labeled_statement() {
  auto* s = make_stmt<LabelStmt>(tok().loc);
  s->label = sema_.define_label(tok().name, tok().loc);
  advance();
  advance();
  s->body = label_body();
  return s;
}

// case constant-expression [... constant-expression] : statement. Runs of labels are parsed in a loop by label_body's
// recursion; the depth limit bounds them.
Stmt* Parser::case_statement() {
  auto* s = make_stmt<CaseStmt>(tok().loc);
  advance();
  s->low = constant_expression();
  if (accept(ellipsis)) s->high = constant_expression();
  sema_.check_case(s);
  if (!at(colon)) fail("expected ':' or '...'");
  advance();
  s->body = label_body();
  return s;
}

Stmt* Parser::default_statement() {
  auto* s = make_stmt<DefaultStmt>(tok().loc);
  sema_.check_default(tok().loc);
  advance();
  expect(colon);
  s->body = label_body();
  return s;
}

// 6.8.4.1 if ( expression ) statement [else statement]
Stmt* Parser::if_statement() {
  auto* s = make_stmt<IfStmt>(tok().loc);
  advance();
  const Loc open = tok().loc;
  expect(l_paren);
  Expr* condition = expression();
  s->condition = sema_.condition(condition, condition->loc);
  expect_close(r_paren, open);
  s->then = statement();
  if (accept(kw_else)) s->otherwise = statement();
  return s;
}

namespace {

class SwitchScope {
 public:
  SwitchScope(Sema& s, QualType type) : s_(s) { s_.push_switch(type); }
  ~SwitchScope() { s_.pop_switch(); }
  SwitchScope(const SwitchScope&) = delete;
  SwitchScope& operator=(const SwitchScope&) = delete;

 private:
  Sema& s_;
};

class LoopScope {
 public:
  LoopScope(Sema& s, bool forall) : s_(s), forall_(forall) {
    s_.push_loop(forall);
    if (forall) s_.enter_forall_body();
  }
  ~LoopScope() {
    if (forall_) s_.leave_forall_body();
    s_.pop_loop();
  }
  LoopScope(const LoopScope&) = delete;
  LoopScope& operator=(const LoopScope&) = delete;

 private:
  Sema& s_;
  bool forall_;
};

}  // namespace

// 6.8.4.2 switch ( expression ) statement
Stmt* Parser::switch_statement() {
  auto* s = make_stmt<SwitchStmt>(tok().loc);
  advance();
  const Loc open = tok().loc;
  expect(l_paren);
  Expr* condition = expression();
  s->condition = sema_.switch_condition(condition, condition->loc);
  expect_close(r_paren, open);
  const SwitchScope scope(sema_, s->condition->type);
  s->body = statement();
  return s;
}

Stmt* Parser::loop_body(bool is_forall) {
  const LoopScope scope(sema_, is_forall);
  return statement();
}

// 6.8.5.1 while ( expression ) statement
Stmt* Parser::while_statement() {
  auto* s = make_stmt<WhileStmt>(tok().loc);
  advance();
  const Loc open = tok().loc;
  expect(l_paren);
  Expr* condition = expression();
  s->condition = sema_.condition(condition, condition->loc);
  expect_close(r_paren, open);
  s->body = loop_body(false);
  return s;
}

// 6.8.5.2 do statement while ( expression ) ;
Stmt* Parser::do_statement() {
  auto* s = make_stmt<DoStmt>(tok().loc);
  advance();
  s->body = loop_body(false);
  expect(kw_while);
  expect(l_paren);
  Expr* condition = expression();
  s->condition = sema_.condition(condition, condition->loc);
  expect(r_paren);
  end_of_statement();
  return s;
}

// The first clause of for and upc_forall with its semicolon: declaration | [expression] ;
Stmt* Parser::for_init() {
  const Loc loc = tok().loc;
  const std::size_t start = pos_;
  const std::uint64_t uses = upc_uses_;
  Stmt* out = nullptr;
  if (is_declaration_start()) {
    auto* s = make_stmt<DeclStmt>(loc);
    s->group = declaration(DeclaratorContext::for_init);
    out = s;
  } else if (accept(semicolon)) {
    return nullptr;
  } else {
    auto* s = make_stmt<ExprStmt>(loc);
    Expr* e = expression();
    sema_.warn_unused_value(e);
    s->expr = e->type->is_void() ? e : sema_.value(e);
    expect(semicolon);
    out = s;
  }
  out->tokens = since(start);
  out->uses_upc = upc_uses_ != uses;
  return out;
}

// 6.8.5.3 for ( init [expression] ; [expression] ) statement
// UPC 6.6.2 upc_forall ( init [expression] ; [expression] ; [affinity] ) statement
Stmt* Parser::for_statement() {
  const Scope scope(sema_);
  const std::size_t start = pos_;
  bool is_forall = at(kw_upc_forall);
  auto* forall = make_stmt<UpcForallStmt>(tok().loc);
  try {
    for_header(forall, is_forall);
  } catch (const SyntaxError&) {
    skip_for_header(start);
    throw;
  }
  if (is_forall) {
    forall->body = loop_body(true);
    return forall;
  }
  auto* s = make_stmt<ForStmt>(forall->loc);
  s->init = forall->init;
  s->condition = forall->condition;
  s->step = forall->step;
  s->body = loop_body(false);
  return s;
}

// A `for` with a fourth clause is taken as upc_forall.
void Parser::for_header(UpcForallStmt* s, bool& is_forall) {
  const SourceRange keyword{tok().loc, tok().loc + tok().length};
  advance();
  const Loc open = tok().loc;
  expect(l_paren);
  s->init = for_init();
  if (!at(semicolon)) {
    Expr* condition = expression();
    s->condition = sema_.condition(condition, condition->loc);
  }
  expect(semicolon);
  if (!at(semicolon) && !at(r_paren)) {
    Expr* step = expression();
    sema_.warn_unused_value(step);
    s->step = step->type->is_void() ? step : sema_.value(step);
  }
  if (!is_forall && at(semicolon) && sema_.options().upc) {
    diagnostics_.error(keyword.begin, "'for' has three clauses; the loop with an affinity is 'upc_forall'",
                       {{keyword}, {{keyword, "upc_forall"}}});
    is_forall = true;
  }
  if (is_forall && at(r_paren)) {
    diagnostics_.error(tok().loc,
                       "expected ';' and the affinity (fourth clause of upc_forall: an integer, an address in shared "
                       "memory, or nothing) " +
                           before());
  } else if (is_forall) {
    expect(semicolon);
    affinity(s);
  }
  expect_close(r_paren, open);
}

void Parser::affinity(UpcForallStmt* s) {
  if (accept(kw_continue)) {
    s->affinity_kind = AffinityKind::continue_;
  } else if (!at(r_paren)) {
    Expr* e = expression();
    sema_.check_affinity(s, e, e->loc);
  }
}

// From a mistake in the header of the loop at `start` to behind its `)`, if it has one: a `;` there does not end the
// statement.
void Parser::skip_for_header(std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; !tokens_[i].is(l_brace) && !tokens_[i].is(r_brace) && !tokens_[i].is(end_of_file); ++i) {
    if (tokens_[i].is(l_paren)) ++depth;
    if (!tokens_[i].is(r_paren) || --depth > 0) continue;
    pos_ = std::max(pos_, i + 1);
    return;
  }
}

// upc_forall under a name that nothing declares: `forall` of early UPC, or a misspelling. No C begins like this.
bool Parser::is_forall_by_another_name() {
  Token& token = unit_.tokens.tokens[pos_];
  const std::string_view name = token.name->text;
  if (!sema_.options().upc || token.name->ordinary != nullptr || !peek().is(l_paren)) return false;
  std::size_t depth = 0;
  int semicolons = 0;
  for (std::size_t n = 1;; ++n) {
    if (peek(n).is(l_paren)) ++depth;
    if (peek(n).is(r_paren) && --depth == 0) break;
    if (peek(n).is(semicolon) && depth == 1) ++semicolons;
    if (peek(n).is(end_of_file) || (peek(n).is(r_brace) && depth == 1)) return false;
  }
  if (semicolons == 0) return false;
  if (name == "forall") {
    diagnostics_.warning(token.loc, "pedantic", "UPC 1.3 does not have 'forall', write upc_forall",
                         WarnLevel::pedantic);
  } else if (constexpr std::array<std::string_view, 1> kForall{"upc_forall"};
             semicolons == 3 || !closest_word(name, kForall).empty()) {
    diagnostics_.error(token.loc, "unknown loop '" + std::string(name) + "'; did you mean 'upc_forall'?",
                       marks_of(token, {{}, std::string(kForall[0])}));
  } else {
    return false;
  }
  token.kind = kw_upc_forall;
  return true;
}

// 6.8.6.1 goto identifier ; GNU goto * expression ;
Stmt* Parser::goto_statement() {
  const Loc loc = tok().loc;
  advance();
  if (accept(star)) {
    auto* s = make_stmt<ComputedGotoStmt>(loc);
    Expr* target = sema_.value(expression());
    if (!target->type->is_unknown() && !target->type->is_pointer()) {
      diagnostics_.error(target->loc, "computed goto must be pointer type");
    }
    s->target = target;
    end_of_statement();
    return s;
  }
  if (!at(identifier)) fail("expected identifier or '*'");
  auto* s = make_stmt<GotoStmt>(loc);
  s->label = sema_.use_label(tok().name, tok().loc);
  sema_.note_goto(s);
  advance();
  end_of_statement();
  return s;
}

// 6.8.6.4 return [expression] ;
Stmt* Parser::return_statement() {
  auto* s = make_stmt<ReturnStmt>(tok().loc);
  advance();
  Expr* value = at(semicolon) ? nullptr : expression();
  sema_.check_return(s, value);
  if (s->value != nullptr && s->value->uses_upc) ++upc_uses_;  // `return NULL;` of a pointer-to-shared
  end_of_statement();
  return s;
}

// UPC 6.6.1 upc_notify [expression] ; upc_wait [expression] ; upc_barrier [expression] ; upc_fence ;
Stmt* Parser::sync_statement(SyncKind kind) {
  auto* s = make_stmt<UpcSyncStmt>(tok().loc);
  s->sync = kind;
  advance();
  const bool takes_value = kind != SyncKind::fence;
  const std::string word = "'" + std::string(tokens_[pos_ - 1].name->text) + "'";
  const Loc end = previous_end();
  const Marks missing{{}, {{{end + 1, end + 1}, ";"}}};
  if (at(l_paren) && peek().is(r_paren)) {
    const SourceRange call{tok().loc, peek().loc + 1};
    diagnostics_.error(tok().loc, word + " is a statement and no function; leave out '()'", {{call}, {{call, ""}}});
    advance();
    advance();
  } else if (takes_value && begins_expression()) {
    if (unit_.source.presumed_line(end).line != unit_.source.presumed_line(tok().loc).line)
      diagnostics_.warning(end, warning::kBarrierValue,
                           "the next line is taken as the value of " + word + "; is ';' missing?", WarnLevel::always,
                           missing);
    Expr* e = expression();
    s->value = sema_.barrier_value(e, e->loc);
  } else if (!at(semicolon)) {
    // The statement is complete; what follows is another one.
    diagnostics_.error(end, "expected ';'" + std::string(takes_value ? " or an expression" : "") + " after " + word,
                       missing);
    return s;
  }
  end_of_statement();
  return s;
}

// GNU asm [volatile] [goto] ( template [: outputs [: inputs [: clobbers [: labels]]]] ) ;
Stmt* Parser::asm_statement() {
  auto* s = make_stmt<AsmStmt>(tok().loc);
  advance();
  bool is_goto = false;
  for (std::vector<TokenKind> seen; at(kw_volatile) || at(kw_inline) || at(kw_goto); advance()) {
    if (std::find(seen.begin(), seen.end(), tok().kind) != seen.end()) {
      fail_at(tok().loc, "duplicate 'asm' qualifier '" + std::string(spelling(tok().kind)) + "'");
    }
    seen.push_back(tok().kind);
    is_goto = is_goto || at(kw_goto);
  }
  expect(l_paren);
  if (!at(string)) fail("expected string literal");
  while (at(string)) advance();
  std::vector<AsmOperand> operands;
  int section = 0;
  while (!at(r_paren)) {
    // `::` is not one token in C, but preprocessors may print it so.
    if (!at(colon) || section == (is_goto ? 4 : 3))
      fail(section == (is_goto ? 4 : 3) ? "expected ')'" : "expected ':' or ')'");
    advance();
    ++section;
    if (at(colon) || at(r_paren)) continue;
    do {
      if (section >= 3) {
        if (section == 4) {
          if (!at(identifier)) fail("expected identifier");
          sema_.use_label(tok().name, tok().loc);
          advance();
          continue;
        }
        if (!at(string)) fail("expected string literal");
        while (at(string)) advance();
        continue;
      }
      if (accept(l_square)) {
        if (!at(identifier)) fail("expected identifier");
        advance();
        expect(r_square);
      }
      if (!at(string)) fail("expected string literal");
      bool memory = false;
      while (at(string)) {
        const std::string_view text(unit_.source.begin() + tok().loc, tok().length);
        memory = memory || text.find_first_of("mgXo") != std::string_view::npos;
        advance();
      }
      expect(l_paren);
      Expr* e = expression();
      expect(r_paren);
      if (section == 1)
        operands.push_back({sema_.asm_output(e, e->loc), true});
      else
        operands.push_back({sema_.asm_input(e, memory), false});
    } while (accept(comma));
  }
  if (is_goto && section < 4) fail("expected ':'");
  expect(r_paren);
  end_of_statement();
  s->operands = unit_.arena.copy(operands);
  return s;
}

}  // namespace upcc
