// Warnings about what a function that obeys the grammar and the constraints of UPC does wrong all the same: it waits for
// ever, or threads spoil each other's work. Each speaks only where the source alone shows the mistake.
#pragma once

#include <cstdint>

#include "ast/translation_unit.hpp"
#include "basic/diagnostics.hpp"
#include "sema/consteval.hpp"

namespace upcc {

void check_usage(const FunctionDecl* function, const TranslationUnit& unit, ConstEvaluator& constants,
                 Diagnostics& diagnostics);

// The variable whose shared object an lvalue is, or is part of, at a place that does not change; null if there is none.
const VarDecl* fixed_shared_object(const Expr* lvalue, ConstEvaluator& constants);

}  // namespace upcc
