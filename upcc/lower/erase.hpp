// The user's program with UPC taken away: `shared` and layouts erased, upc_forall a `for`, barriers empty statements.
// It would not run as the program does; it exists so that the C compiler can warn about the user's own lines, all of
// them and nothing else. Every token is on the line and, where the preprocessor left it there, in the column where the
// user put it.
#pragma once

#include "ast/translation_unit.hpp"
#include "lower/lower.hpp"

namespace upcc {

Lowered erase_upc(const TranslationUnit& unit);

}  // namespace upcc
