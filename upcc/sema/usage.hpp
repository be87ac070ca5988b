// Warnings about what a function that obeys the grammar and the constraints of UPC does wrong all the same: it waits
// for ever, or threads spoil each other's work. Each speaks only where the source alone shows the mistake.
#pragma once

#include "ast/translation_unit.hpp"
#include "basic/diagnostics.hpp"
#include "sema/consteval.hpp"

namespace upcc {

void check_usage(const FunctionDecl* function, const TranslationUnit& unit, ConstEvaluator& constants,
                 Diagnostics& diagnostics);

}  // namespace upcc
