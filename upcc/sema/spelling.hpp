// What the user may have meant by a name that nothing declares.
#pragma once

#include <string>
#include <string_view>

#include "ast/translation_unit.hpp"
#include "basic/diagnostics.hpp"

namespace upcc {

enum class Meaning : std::uint8_t { value, function, type };

struct Hint {
  std::string text;         // goes behind a message about the name; empty if nothing is known
  std::string replacement;  // the name that was meant, if it is one
};

// The header that would declare the name, if it is not included, or the most similar name.
Hint spelling_hint(TranslationUnit& unit, const Name* name, Meaning meaning);
// Whether the name is near enough to the word to be a misspelling of it.
bool resembles(std::string_view name, std::string_view word);
// The change from the name to the one that was meant.
Marks marks_of(const Token& token, const Hint& hint);

}  // namespace upcc
