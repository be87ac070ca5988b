// Lowering: from the typed tree of one translation unit to C text with marks (emit/text.hpp). What is plain C is
// repeated as it was written; what uses UPC becomes calls of the runtime's inline functions, or, where the optimiser
// has proved enough, plain C.
#pragma once

#include <string>

#include "ast/translation_unit.hpp"
#include "emit/writer.hpp"
#include "optimise/options.hpp"
#include "sema/consteval.hpp"
#include "sema/types.hpp"

namespace upcc {

struct LowerOptions {
  bool upc = true;        // false: plain C, which is here only to become thread-local
  bool pthreads = false;  // UPC threads share a process: private globals become thread-local
  OptimiseOptions optimise;
};

struct Lowered {
  std::string text;  // marked
  TokenEdits edits;
};

Lowered lower(const TranslationUnit& unit, TypeContext& types, const ConstEvaluator& constants,
              const LowerOptions& options);

}  // namespace upcc
