#include <algorithm>

#include "lower/abi.hpp"
#include "lower/lowerer.hpp"

// Statements: the user's tokens around lowered parts; barriers and fences become calls.

namespace upcc {

std::string Lowerer::stmt(const Stmt* s) {
  if (!s->uses_upc) return text::tokens(s->tokens);
  // These stand before their first token, which may not be the first here.
  if (s->kind == StmtKind::while_ || s->kind == StmtKind::do_) return lowered(s);
  const bool loop = s->kind == StmtKind::for_ || s->kind == StmtKind::upc_forall;
  return pragmas_before(s->tokens.first, loop ? text::Pragmas::others : text::Pragmas::all) + lowered(s);
}

std::string Lowerer::lowered(const Stmt* s) {
  const std::string at = text::line(s->loc);
  switch (s->kind) {
    case StmtKind::expression: {
      const auto* e = static_cast<const ExprStmt*>(s);
      return at + splice(s->tokens, {{e->expr->tokens, discarded(e->expr)}});
    }
    case StmtKind::compound:
      return block(static_cast<const CompoundStmt*>(s));
    case StmtKind::declaration:
      return at + declaration(*static_cast<const DeclStmt*>(s)->group);
    case StmtKind::if_:
      return if_statement(static_cast<const IfStmt*>(s));
    case StmtKind::while_:
    case StmtKind::do_: {
      const Temporarily without_bound(may_wait_, true);
      return unbounded(s);
    }
    case StmtKind::for_:
      return with_atomic_updates(s, [&] { return for_statement(static_cast<const ForStmt*>(s)); });
    case StmtKind::upc_forall:
      return with_atomic_updates(s, [&] { return at + forall(static_cast<const UpcForallStmt*>(s)); });
    case StmtKind::switch_:
    case StmtKind::case_:
    case StmtKind::default_:
    case StmtKind::label:
    case StmtKind::computed_goto:
      return switch_like(s);
    case StmtKind::return_:
      return return_statement(static_cast<const ReturnStmt*>(s));
    case StmtKind::asm_:
      return at + asm_statement(static_cast<const AsmStmt*>(s));
    case StmtKind::upc_sync:
      return at + sync(static_cast<const UpcSyncStmt*>(s));
    default:
      return text::tokens(s->tokens);
  }
}

std::string Lowerer::unbounded(const Stmt* s) {
  if (const auto* w = stmt_cast<WhileStmt>(s)) {
    return waiting(s, w->condition, [&](const std::string& test) {
      return splice(s->tokens, {{w->condition->tokens, test}, {w->body->tokens, stmt(w->body)}});
    });
  }
  const auto* d = static_cast<const DoStmt*>(s);
  return waiting(s, d->condition, [&](const std::string& test) {
    return splice(s->tokens, {{d->body->tokens, stmt(d->body)}, {d->condition->tokens, test}});
  });
}

// A loop, given the text of its condition. One that spins gives the processor away now and then and makes the network
// progress.
std::string Lowerer::waiting(const Stmt* s, const Expr* cond,
                             const std::function<std::string(const std::string&)>& loop) {
  const std::string test = cond == nullptr ? "" : condition(cond);
  if (!planner_.spins(s)) return loop(test);
  const std::string turns = temp("turns");
  return "{ unsigned " + turns + " = 0; " +
         loop("upcc_spin(&" + turns + ")" + (test.empty() ? "" : " && (" + test + ")")) + "}";
}

std::string Lowerer::block(const CompoundStmt* s) {
  std::vector<Child> children;
  for (const Stmt* item : s->items) {
    if (item->uses_upc) children.emplace_back(item->tokens, stmt(item));
  }
  return splice(s->tokens, std::move(children));
}

std::string Lowerer::switch_like(const Stmt* s) {
  std::vector<Child> children;
  switch (s->kind) {
    case StmtKind::switch_: {
      const auto* w = static_cast<const SwitchStmt*>(s);
      children = {{w->condition->tokens, expr(w->condition)}, {w->body->tokens, stmt(w->body)}};
      break;
    }
    case StmtKind::case_: {
      const auto* c = static_cast<const CaseStmt*>(s);
      children = {{c->low->tokens, expr(c->low)}, {c->body->tokens, stmt(c->body)}};
      if (c->high != nullptr) children.emplace_back(c->high->tokens, expr(c->high));
      break;
    }
    case StmtKind::default_: {
      const auto* d = static_cast<const DefaultStmt*>(s);
      children = {{d->body->tokens, stmt(d->body)}};
      break;
    }
    case StmtKind::label: {
      const auto* l = static_cast<const LabelStmt*>(s);
      children = {{l->body->tokens, stmt(l->body)}};
      break;
    }
    default: {
      const auto* g = static_cast<const ComputedGotoStmt*>(s);
      children = {{g->target->tokens, expr(g->target)}};
      break;
    }
  }
  return splice(s->tokens, std::move(children));
}

std::string Lowerer::return_statement(const ReturnStmt* s) {
  if (s->value == nullptr) return text::tokens(s->tokens);
  return text::line(s->loc) + splice(s->tokens, {{s->value->tokens, expr(s->value)}});
}

std::string Lowerer::if_statement(const IfStmt* s) {
  const std::string test = condition(s->condition);
  // What the test proves to be this thread's is plain C in the branch.
  const auto saved = plain_places_;
  for (const auto& [lvalue, pointer] : planner_.local_after_test(s->condition, s->then)) {
    if (plain_places_.contains(lvalue)) continue;
    const auto* member = expr_cast<MemberExpr>(lvalue);
    const QualType type = static_cast<const PointerType*>(pointer->type.type)->pointee;
    const std::string at = "((" + plain_access(type) + "*)(void*)upcr_own_at(" + expr(pointer) + ", sizeof(" +
                           type_name(type) + "), " + here(lvalue->loc) + "))";
    const bool whole = member == nullptr || member->implicit;
    plain_places_[lvalue] = whole ? "(*" + at + ")" : at + "->" + std::string(member->field->name->text);
  }
  const std::string then = stmt(s->then);
  plain_places_ = saved;
  std::vector<Child> children{{s->condition->tokens, test}, {s->then->tokens, then}};
  if (s->otherwise != nullptr) children.emplace_back(s->otherwise->tokens, stmt(s->otherwise));
  return splice(s->tokens, std::move(children));
}

namespace {

// Whether lowering writes it as one declaration again.
bool stays_one_declaration(const DeclStmt* s) {
  if (!s->uses_upc) return true;
  const DeclGroup& group = *s->group;
  return !group.specifiers_use_upc && !group.defines_tag &&
         std::all_of(group.decls.begin(), group.decls.end(), [](const Decl* decl) {
           const auto* var = decl_cast<VarDecl>(decl);
           return var != nullptr && var->duration == StorageDuration::automatic && !mentions_shared(var->type) &&
                  !var->type->variably_modified;
         });
}

}  // namespace

// `first` is the loop's first token.
std::string Lowerer::generic_for(std::uint32_t first, const Stmt* init, const std::string& cond, const Expr* step,
                                 const std::string& body) {
  std::string head = ";";
  std::string before;
  if (init != nullptr) {
    // A declaration that must be spelled in several goes before the loop, in a block of its own.
    const auto* declaration = stmt_cast<DeclStmt>(init);
    if (declaration != nullptr && !stays_one_declaration(declaration))
      before = stmt(init);
    else
      head = stmt(init);
  }
  const std::string loop = pragmas_before(first, text::Pragmas::about_loops) + text::line(token(first).loc) + "for (" +
                           head + cond + ";" + (step == nullptr ? "" : discarded(step)) + ") " + body;
  return before.empty() ? loop : "{" + before + loop + "}";
}

// The tokens hold the whole text; operands in shared memory pass through temporaries.
std::string Lowerer::asm_statement(const AsmStmt* s) {
  std::vector<Child> children;
  std::string before;
  std::string after;
  for (const AsmOperand& operand : s->operands) {
    if (!operand.is_output || !operand.expr->is_shared_lvalue()) {
      children.emplace_back(operand.expr->tokens, expr(operand.expr));
      continue;
    }
    const std::string value = temp("m");
    const std::string type = type_name(operand.expr->type);
    before += type + " " + value + " = " + load(operand.expr, operand.expr->type, Access::relaxed) + "; ";
    after += store(operand.expr, operand.expr->type, Access::relaxed, value) + "; ";
    children.emplace_back(operand.expr->tokens, value);
  }
  const std::string text = splice(s->tokens, std::move(children));
  return before.empty() ? text : "{ " + before + text + after + "}";
}

std::string Lowerer::sync(const UpcSyncStmt* s) {
  if (s->sync == SyncKind::fence) return "upcr_fence();";
  const std::string_view name = s->sync == SyncKind::notify ? "notify" : s->sync == SyncKind::wait ? "wait" : "barrier";
  const std::string arguments = s->value == nullptr ? "0, 0" : "1, (int)(" + expr(s->value) + ")";
  return "upcr_" + std::string(name) + "(" + arguments + ", " + here(s->loc) + ");";
}

}  // namespace upcc
