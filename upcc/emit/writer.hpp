// Writes the C file: expands the marks of text.hpp and keeps every line number right.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ast/translation_unit.hpp"

namespace upcc {

struct WriteOptions {
  // gcc and clang give no warnings about lines of system headers. Lines that hold rewritten text are marked as such:
  // a warning about them would be about our C, not about the user's program.
  bool mark_rewritten_lines = true;
  // Starts a new line of C, with the same number, wherever a token would not stand in the user's column or is the first
  // of a system header's macro.
  bool exact_columns = false;
};

// Words that replace or precede single tokens: tags given to unnamed structs, storage classes added to globals.
struct TokenEdits {
  std::map<std::uint32_t, std::string> replace;
  std::map<std::uint32_t, std::string> insert_before;
  [[nodiscard]] bool touches(TokenRange range) const;
};

std::string write_c(const TranslationUnit& unit, std::string_view marked, const TokenEdits& edits,
                    const WriteOptions& options);

}  // namespace upcc
