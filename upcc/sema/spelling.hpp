// What the user may have meant by a name that nothing declares.
#pragma once

#include <span>
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
// Of these words the one that the name may be a misspelling of; empty if there is none.
std::string_view closest_word(std::string_view name, std::span<const std::string_view> words);
// The change from the name to the one that was meant.
Marks marks_of(const Token& token, const Hint& hint);

}  // namespace upcc
