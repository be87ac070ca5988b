// What the user may have meant by a name that nothing declares.
#pragma once

#include <string>

#include "ast/translation_unit.hpp"

namespace upcc {

enum class Meaning : std::uint8_t { value, function, type };

// Goes behind a message about the name: the header that would declare it, if it is not included, or the most similar
// name; empty if neither is known.
std::string spelling_hint(TranslationUnit& unit, const Name* name, Meaning meaning);

}  // namespace upcc
