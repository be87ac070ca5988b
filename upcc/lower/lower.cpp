#include "lower/lower.hpp"

#include <algorithm>

#include "ast/walk.hpp"
#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

namespace upcc {

Lowered lower(const TranslationUnit& unit, TypeContext& types, const ConstEvaluator& constants,
              const LowerOptions& options) {
  return Lowerer(unit, types, constants, options).run();
}

Lowerer::Lowerer(const TranslationUnit& unit, TypeContext& types, const ConstEvaluator& constants,
                 const LowerOptions& options)
    : unit_(unit),
      types_(types),
      constants_(constants),
      options_(options),
      printer_([this](const Expr* extent) {
        const auto captured = extents_.find(extent);
        return captured != extents_.end() ? captured->second : expr(extent);
      }),
      effects_(effect_context(unit, constants, options.optimise.strict_aliasing)),
      planner_(types, effects_, options.optimise) {}

Lowered Lowerer::run() {
  scan_unit();
  prologue();
  for (std::size_t i = 0; i < unit_.groups.size();) {
    const DeclGroup& first = *unit_.groups[i];
    if (is_plain(first)) {
      // A run of plain C is repeated as text: nothing can get lost.
      std::size_t last = i;
      while (last + 1 < unit_.groups.size() && is_plain(*unit_.groups[last + 1])) ++last;
      const Token& begin = token(first.tokens.first);
      const Token& end = token(unit_.groups[last]->tokens.last - 1);
      emit(pragmas_before(first.tokens.first, text::Pragmas::once));
      emit(text::source(begin.loc, end.loc + end.length));
      i = last + 1;
      continue;
    }
    emit(pragmas_before(first.tokens.first, text::Pragmas::once));
    external(first);
    ++i;
  }
  emit(pragmas_before(static_cast<std::uint32_t>(unit_.tokens.tokens.size() - 1)));
  initialiser_function();
  emit(records_);
  if (!options_.upc)
    emit(std::string("static const char ") + abi::kPrefix + "mark __attribute__((used, section(\"" +
         abi::kThreadLocalC + "\"))) = 0;\n");
  return {std::move(out_), std::move(edits_)};
}

// What must be known before the first declaration is lowered.
void Lowerer::scan_unit() {
  for (const DeclGroup* group : unit_.groups) {
    for (const Decl* decl : group->decls) {
      const auto* var = decl_cast<VarDecl>(decl);
      if (var == nullptr) continue;
      if (var->in_system_header || var->in_c_code) library_variables_.insert(var->name);
      if (!var->is_shared() || !var->is_definition) continue;
      // Of several tentative definitions one counts: that with the initialiser, else the last, whose type is complete.
      const VarDecl*& chosen = shared_definitions_[var->name];
      if (chosen == nullptr || chosen->init == nullptr) chosen = var;
    }
  }
  for (const TagDecl* tag : unit_.inner_tags) name_tag(tag);
  if (options_.pthreads) {
    for (const DeclGroup* group : unit_.groups) {
      if (group->kind == GroupKind::function_definition && !group->in_system_header) block_statics(*group);
    }
  }
  // For where a declaration or type name is repeated as it was written: array bounds, alignments, widths, typeof.
  for (const SizeofExpr* e : unit_.upc_sizes) {
    if (e->variable || e->tokens.last <= e->tokens.first) continue;
    replace_tokens(e->tokens, size(e));
  }
  const std::size_t tokens = unit_.tokens.tokens.size();
  for (std::size_t i = 0; i + 2 < tokens; ++i) {
    const Token& t = unit_.tokens.tokens[i];
    if (t.is(TokenKind::kw_mythread)) edits_.replace.try_emplace(static_cast<std::uint32_t>(i), "upcr_mythread()");
    if (t.is(TokenKind::kw_threads))
      edits_.replace.try_emplace(static_cast<std::uint32_t>(i),
                                 unit_.dynamic_threads() ? "upcr_threads()" : std::to_string(unit_.static_threads));
    const bool keyword = t.is(TokenKind::kw_struct) || t.is(TokenKind::kw_union) || t.is(TokenKind::kw_enum);
    if (keyword && unit_.tokens.tokens[i + 1].name != nullptr && unit_.tokens.tokens[i + 2].is(TokenKind::l_brace)) {
      ++tag_definitions_[unit_.tokens.tokens[i + 1].name];
    }
    if (!t.is(TokenKind::identifier)) continue;
    if (t.name->text == "upcc_for_clang_t") clang_ = true;
  }
}

// Trap 13 inside functions: block-scope statics and externs become thread-local by edits of their tokens, because the
// statements around them may be plain C that is repeated as it is.
void Lowerer::block_statics(const DeclGroup& function) {
  Visitor visitor;
  visitor.stmt = [this](const Stmt* s) {
    const auto* declaration = stmt_cast<DeclStmt>(s);
    if (declaration == nullptr || declaration->uses_upc) return true;
    const DeclGroup& group = *declaration->group;
    const bool anew = std::any_of(group.decls.begin(), group.decls.end(), [this](const Decl* decl) {
      const auto* var = decl_cast<VarDecl>(decl);
      return var != nullptr && needs_new_declaration(var);
    });
    if (anew) {
      replace_tokens(group.tokens, words(this->declaration(group)));
      return true;
    }
    std::string after;
    bool thread = false;
    for (const Decl* decl : group.decls) {
      const auto* var = decl_cast<VarDecl>(decl);
      if (var == nullptr || !becomes_thread_local(var)) continue;
      thread = true;
      if (var->init == nullptr || !needs_runtime(var->init)) continue;
      after += words(declare_variable(var, nullptr));
      for (std::uint32_t i = var->declarator.last; i < var->tokens.last; ++i) edits_.replace[i] = "";
    }
    if (thread) insert_thread_local(group.tokens);
    if (!after.empty()) edits_.insert_before[group.tokens.last] += after;
    return true;
  };
  walk(static_cast<const FunctionDecl*>(function.decls[0])->body, visitor);
}

// What is inserted before the first one belongs to what precedes it.
void Lowerer::replace_tokens(TokenRange range, std::string text) {
  edits_.replace[range.first] = std::move(text);
  for (std::uint32_t i = range.first + 1; i < range.last; ++i) {
    edits_.insert_before.erase(i);
    edits_.replace[i] = "";
  }
}

// With the declaration's own words, so that pragmas stay in front of it.
void Lowerer::insert_thread_local(TokenRange declaration) {
  const bool extension = token(declaration.first).is(TokenKind::kw_extension);
  std::string& before = edits_.insert_before[declaration.first + (extension ? 1 : 0)];
  if (!before.ends_with(" _Thread_local")) before += " _Thread_local";
}

// Text whose marks have become the words themselves, for edits.
std::string Lowerer::words(std::string_view marked) const {
  std::string out;
  for (std::size_t i = 0; i < marked.size();) {
    const char c = marked[i];
    if (!text::is_mark(c)) {
      out += c;
      ++i;
      continue;
    }
    const std::uint32_t first = text::read_number(marked.data() + i + 1);
    const std::uint32_t last = text::read_number(marked.data() + i + 5);
    for (std::uint32_t t = first; c == text::kTokens && t < last; ++t) {
      if (const auto insert = edits_.insert_before.find(t); insert != edits_.insert_before.end())
        out += ' ' + insert->second;
      const auto edit = edits_.replace.find(t);
      out += ' ';
      out += edit != edits_.replace.end() ? edit->second
                                          : std::string(unit_.source.text().substr(token(t).loc, token(t).length));
    }
    i += text::kMarkSize;
  }
  return out;
}

bool Lowerer::is_plain(const DeclGroup& group) const {
  return !group.uses_upc && !defines_main(group) && !needs_edit(group);
}

bool Lowerer::defines_main(const DeclGroup& group) const {
  return options_.upc && group.kind == GroupKind::function_definition && !group.decls.empty() &&
         group.decls[0]->name->text == "main";
}

// Whether the unit declares C's exit(), and does not define a function of that name.
bool Lowerer::declares_exit() const {
  bool found = false;
  for (const DeclGroup* group : unit_.groups) {
    for (const Decl* decl : group->decls) {
      const auto* function = decl_cast<FunctionDecl>(decl);
      if (function == nullptr || function->name->text != "exit") continue;
      if (function->body != nullptr || function->linkage != Linkage::external) return false;
      found = function->function_type()->result->is_void();
    }
  }
  return found;
}

// The user's main becomes internal to its unit, because the runtime's own main starts the threads. It stays `main` for
// the language (no return needed) and for debuggers (`break main`). Where threads share a process, exit() is the
// runtime's, which ends one of them (weft/upcrt/unit.h).
void Lowerer::prologue() {
  if (options_.pthreads && declares_exit()) {
    emit("extern void exit(int) __asm__(\"upcr_exit\") __attribute__((__noreturn__));\n");
  }
  for (const DeclGroup* group : unit_.groups) {
    if (!defines_main(*group)) continue;
    const auto* function = static_cast<const FunctionDecl*>(group->decls[0]);
    emit(text::line(function->loc) + "static " + printer_.declare(function->function_type()->result, "main()") + ";\n");
  }
}

void Lowerer::initialiser_function() {
  if (startup_.empty()) return;
  const std::string name = std::string(abi::kPrefix) + "startup";
  emit("static void " + name + "(void) {" + startup_ + "}\n");
  emit("static void (*const " + std::string(abi::kPrefix) +
       "this_initialiser)(void) __attribute__((used, section(\"upc_init\"), aligned(8))) = " + name + ";\n");
}

std::string Lowerer::pragmas_before(std::uint32_t token, text::Pragmas kind) const {
  const auto& pragmas = unit_.tokens.pragmas;
  const auto at = std::lower_bound(pragmas.begin(), pragmas.end(), token,
                                   [](const PragmaLine& p, std::uint32_t t) { return p.before_token < t; });
  return at != pragmas.end() && at->before_token == token ? text::pragmas(token, kind) : std::string();
}

std::string Lowerer::c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string Lowerer::here(Loc loc) const {
  const PresumedLoc at = unit_.source.presumed_line(loc);
  return c_string(at.file) + ", " + std::to_string(at.line);
}

std::string Lowerer::splice(TokenRange range, std::vector<Child> children) const {
  std::stable_sort(children.begin(), children.end(),
                   [](const Child& a, const Child& b) { return a.first.first < b.first.first; });
  std::string out;
  std::uint32_t at = range.first;
  for (const Child& child : children) {
    out += text::tokens({at, child.first.first});
    out += child.second;
    at = child.first.last;
  }
  return out + text::tokens({at, range.last});
}

bool Lowerer::has_upc_tokens(TokenRange range) const {
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    if (token(i).is_upc_keyword()) return true;
  }
  return false;
}

}  // namespace upcc
