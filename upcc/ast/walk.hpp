// Visits the nodes of the typed tree that are evaluated. The callback returns whether to go on into the node.
#pragma once

#include <functional>

#include "ast/expr.hpp"
#include "ast/stmt.hpp"

namespace upcc {

struct Visitor {
  std::function<bool(const Expr*)> expr = [](const Expr*) { return true; };
  std::function<bool(const Stmt*)> stmt = [](const Stmt*) { return true; };
  std::function<void(const DeclGroup*)> group = [](const DeclGroup*) {};  // before its initialisers
};

// Null nodes are allowed. Operands of sizeof and the like are visited only where they are evaluated: lengths of
// variable-length arrays are, in declarations, casts and sizeof (C11 6.5.3.4, 6.7.6.2).
void walk(const Expr* e, const Visitor& visitor);
void walk(const Stmt* s, const Visitor& visitor);

// Whether an expression names a declaration that is one of those.
[[nodiscard]] bool names(const Expr* e, const std::function<bool(const Decl*)>& one_of_those);

}  // namespace upcc
