// The result of the front end and the whole input of lowering.
#pragma once

#include <vector>

#include "ast/decl.hpp"
#include "ast/expr.hpp"
#include "ast/stmt.hpp"
#include "basic/arena.hpp"
#include "basic/names.hpp"
#include "basic/source.hpp"
#include "lex/token.hpp"

namespace upcc {

struct TranslationUnit {
  explicit TranslationUnit(SourceText& text) : source(text) {}

  SourceText& source;
  Arena arena;
  NameTable names{arena};
  TokenBuffer tokens;                  // pragmas are in tokens.pragmas, beside the token they precede
  std::vector<DeclGroup*> groups;      // external declarations in order
  std::vector<TagDecl*> inner_tags;    // unnamed structs, unions and enumerations that are types of members
  std::vector<SizeofExpr*> upc_sizes;  // sizes of or with shared types: those that C alone would get wrong
  std::int64_t static_threads = 0;     // 0 = dynamic

  [[nodiscard]] bool dynamic_threads() const { return static_threads == 0; }
};

}  // namespace upcc
