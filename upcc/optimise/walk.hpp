// Visits the nodes of the typed tree. The callback returns whether to go on into the node.
#pragma once

#include <functional>

#include "ast/expr.hpp"
#include "ast/stmt.hpp"

namespace upcc {

struct Visitor {
  std::function<bool(const Expr*)> expr = [](const Expr*) { return true; };
  std::function<bool(const Stmt*)> stmt = [](const Stmt*) { return true; };
  std::function<void(const VarDecl*)> variable = [](const VarDecl*) {};
};

// Null nodes are allowed. Operands of sizeof and the like are not evaluated and not visited.
void walk(const Expr* e, const Visitor& visitor);
void walk(const Stmt* s, const Visitor& visitor);

}  // namespace upcc
