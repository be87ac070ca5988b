// The report of -fupc-report: for each shared access in a loop what was done, or why not and what the user can change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ast/translation_unit.hpp"
#include "optimise/options.hpp"
#include "sema/consteval.hpp"
#include "sema/types.hpp"

namespace upcc {

struct Remark {
  Loc loc;
  bool missed;
  std::string text;
  std::string_view pass;  // its name
};

[[nodiscard]] std::vector<Remark> report(const TranslationUnit& unit, TypeContext& types,
                                         const ConstEvaluator& constants, const OptimiseOptions& options);

// An expression as it is written, in one line and not too long.
[[nodiscard]] std::string as_written(const TranslationUnit& unit, const Expr* e);
// One line, as the C compiler's messages: file:line:column: remark: text [pass].
[[nodiscard]] std::string as_text(const SourceText& source, const Remark& remark);
// One JSON object: file, line, column, missed, text, pass.
[[nodiscard]] std::string as_json(const SourceText& source, const Remark& remark);

}  // namespace upcc
