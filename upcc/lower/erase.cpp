#include "lower/erase.hpp"

#include <algorithm>

#include "ast/walk.hpp"
#include "emit/text.hpp"

namespace upcc {

namespace {

using enum TokenKind;

class Eraser {
 public:
  explicit Eraser(const TranslationUnit& unit) : unit_(unit) {}
  Lowered run();

 private:
  void erase_keyword(std::uint32_t at);
  void erase_qualifier(std::uint32_t at);
  void erase_forall(std::uint32_t keyword);
  void erase_sync(std::uint32_t keyword);
  void fix_sizes();
  void fix_extents();
  void fix_extents(const DeclGroup& group, bool file_scope);
  void replace(std::uint32_t at, std::string text) { edits_.replace[at] = std::move(text); }
  void remove(std::uint32_t first, std::uint32_t last) {
    for (; first < last; ++first) edits_.replace[first] = "";
  }
  [[nodiscard]] bool is(std::uint32_t at, TokenKind kind) const { return unit_.tokens.tokens[at].is(kind); }
  [[nodiscard]] std::string word(std::uint32_t at) const;
  [[nodiscard]] std::uint32_t find(std::uint32_t from, TokenKind kind) const;
  [[nodiscard]] bool has_upc_tokens(TokenRange range) const;

  const TranslationUnit& unit_;
  TokenEdits edits_;
};

Lowered Eraser::run() {
  const auto tokens = static_cast<std::uint32_t>(unit_.tokens.tokens.size());
  for (std::uint32_t i = 0; i < tokens; ++i) {
    if (unit_.tokens.tokens[i].is_upc_keyword()) erase_keyword(i);
  }
  fix_extents();
  fix_sizes();
  std::string text = "# 1 \"<upcc>\" 3\nextern const int MYTHREAD, THREADS;\n";
  for (const DeclGroup* group : unit_.groups) {
    text += text::pragmas(group->tokens.first, text::Pragmas::all);
    if (has_upc_tokens(group->tokens)) {
      text += text::tokens(group->tokens);
      continue;
    }
    const Token& last = unit_.tokens.tokens[group->tokens.last - 1];
    text += text::source(unit_.tokens.tokens[group->tokens.first].loc, last.loc + last.length);
  }
  text += text::pragmas(tokens - 1, text::Pragmas::all);
  return {std::move(text), std::move(edits_)};
}

bool Eraser::has_upc_tokens(TokenRange range) const {
  const auto& tokens = unit_.tokens.tokens;
  return std::any_of(tokens.begin() + range.first, tokens.begin() + range.last,
                     [](const Token& token) { return token.is_upc_keyword(); });
}

std::string Eraser::word(std::uint32_t at) const {
  if (const auto edit = edits_.replace.find(at); edit != edits_.replace.end()) return edit->second;
  const Token& token = unit_.tokens.tokens[at];
  return std::string(unit_.source.text().substr(token.loc, token.length));
}

// The first such token from here on that is not inside brackets opened here or later.
std::uint32_t Eraser::find(std::uint32_t from, TokenKind kind) const {
  for (int depth = 0; !is(from, end_of_file); ++from) {
    if (depth == 0 && is(from, kind)) break;
    if (is(from, l_paren) || is(from, l_square) || is(from, l_brace)) ++depth;
    if (is(from, r_paren) || is(from, r_square) || is(from, r_brace)) --depth;
  }
  return from;
}

void Eraser::erase_keyword(std::uint32_t at) {
  switch (unit_.tokens.tokens[at].kind) {
    case kw_shared:
    case kw_strict:
    case kw_relaxed:
      return erase_qualifier(at);
    case kw_upc_forall:
      return erase_forall(at);
    case kw_upc_barrier:
    case kw_upc_notify:
    case kw_upc_wait:
    case kw_upc_fence:
      return erase_sync(at);
    case kw_threads:
      if (!unit_.dynamic_threads()) replace(at, std::to_string(unit_.static_threads));
      return;
    default:  // MYTHREAD is declared; sizes are fixed where they are known
      return;
  }
}

void Eraser::erase_qualifier(std::uint32_t at) {
  const bool layout = is(at, kw_shared) && is(at + 1, l_square);
  remove(at, layout ? find(at + 2, r_square) + 1 : at + 1);
}

// upc_forall (a; b; c; d) becomes for (a; b; c, (void)(d)).
void Eraser::erase_forall(std::uint32_t keyword) {
  const std::uint32_t condition = find(keyword + 2, semicolon) + 1;
  const std::uint32_t step = find(condition, semicolon) + 1;
  const std::uint32_t end_of_step = find(step, semicolon);
  const std::uint32_t affinity = end_of_step + 1;
  replace(keyword, "for");
  if (is(affinity, r_paren) || is(affinity, kw_continue)) return remove(end_of_step, find(affinity, r_paren));
  replace(end_of_step, end_of_step == step ? "(void)(" : ", (void)(");
  replace(find(affinity, r_paren), "))");
}

void Eraser::erase_sync(std::uint32_t keyword) {
  const std::uint32_t end = find(keyword, semicolon);
  replace(keyword, end == keyword + 1 ? "(void)0" : "(void)(");
  if (end != keyword + 1) replace(end, ");");
}

// What the operand names stays in use.
void Eraser::fix_sizes() {
  for (const SizeofExpr* size : unit_.upc_sizes) {
    const TokenRange at = size->tokens;
    if (size->variable || at.last <= at.first) continue;
    // As large as it is with any number of threads: not as fix_extents() makes it
    const char* const times = size->value.times_threads ? "ul * (unsigned long)THREADS" : "ul";
    replace(at.first, "(" + std::to_string(size->value.value) + times + " + 0 * sizeof");
    replace(at.last - 1, word(at.last - 1) + ")");
  }
}

// A shared array of a dynamic number of threads has a size that C knows at run time only, and static storage. Any
// number will do that no constant subscript reaches.
void Eraser::fix_extents() {
  if (!unit_.dynamic_threads()) return;
  Visitor visitor;
  visitor.stmt = [this](const Stmt* s) {
    if (const auto* declaration = stmt_cast<DeclStmt>(s)) fix_extents(*declaration->group, false);
    return s->uses_upc;
  };
  for (const DeclGroup* group : unit_.groups) {
    fix_extents(*group, true);
    if (group->kind == GroupKind::function_definition && group->uses_upc)
      walk(static_cast<const FunctionDecl*>(group->decls[0])->body, visitor);
  }
}

void Eraser::fix_extents(const DeclGroup& group, bool file_scope) {
  if (!group.uses_upc) return;
  for (const Decl* decl : group.decls) {
    const auto* variable = decl_cast<VarDecl>(decl);
    if (variable == nullptr && decl->kind != DeclKind::typedef_) continue;
    if (!file_scope && !decl->type.is_shared()) continue;
    const TokenRange range = variable != nullptr ? variable->declarator : decl->tokens;
    for (std::uint32_t i = range.first; i < range.last; ++i) {
      if (is(i, kw_threads)) replace(i, "1000003ul");
    }
  }
}

}  // namespace

Lowered erase_upc(const TranslationUnit& unit) { return Eraser(unit).run(); }

}  // namespace upcc
