// Text to tokens, in one pass over the whole translation unit.
#pragma once

#include "basic/diagnostics.hpp"
#include "basic/names.hpp"
#include "basic/source.hpp"
#include "lex/token.hpp"

namespace upcc {

struct LexOptions {
  bool gnu_keywords = true;  // `asm` and `typeof` without underscores
  bool upc = true;           // UPC keywords are keywords
  std::string upc_include;   // directory of our own headers: UPC there although they are system headers
};

// Marks the spellings of keywords in `names`. Once per name table.
void install_keywords(NameTable& names, const LexOptions& options);

void lex(SourceText& source, const LexOptions& options, NameTable& names, Diagnostics& diagnostics, TokenBuffer& out);

}  // namespace upcc
