#include "ast/walk.hpp"

namespace upcc {

namespace {

// The lengths of the variable-length arrays in a type.
void walk_lengths(QualType type, const Visitor& visitor) {
  while (type && type->variably_modified) {
    if (const auto* a = type->as<ArrayType>()) {
      if (a->array_kind == ArrayKind::variable) walk(a->count_expr, visitor);
      type = a->element;
    } else if (const auto* p = type->as<PointerType>()) {
      type = p->pointee;
    } else if (const auto* f = type->as<FunctionType>()) {
      type = f->result;
    } else {
      return;
    }
  }
}

}  // namespace

void walk(const Expr* e, const Visitor& visitor) {
  if (e == nullptr || !visitor.expr(e)) return;
  switch (e->kind) {
    case ExprKind::paren:
      return walk(static_cast<const ParenExpr*>(e)->inner, visitor);
    case ExprKind::unary:
      return walk(static_cast<const UnaryExpr*>(e)->operand, visitor);
    case ExprKind::binary:
      walk(static_cast<const BinaryExpr*>(e)->lhs, visitor);
      return walk(static_cast<const BinaryExpr*>(e)->rhs, visitor);
    case ExprKind::assign:
      walk(static_cast<const AssignExpr*>(e)->lhs, visitor);
      return walk(static_cast<const AssignExpr*>(e)->rhs, visitor);
    case ExprKind::conditional:
      walk(static_cast<const ConditionalExpr*>(e)->condition, visitor);
      walk(static_cast<const ConditionalExpr*>(e)->then, visitor);
      return walk(static_cast<const ConditionalExpr*>(e)->otherwise, visitor);
    case ExprKind::cast:
      if (!static_cast<const CastExpr*>(e)->implicit) walk_lengths(e->type, visitor);
      return walk(static_cast<const CastExpr*>(e)->operand, visitor);
    case ExprKind::sizeof_: {
      const auto* s = static_cast<const SizeofExpr*>(e);
      if (!s->variable) return;
      if (s->operand == nullptr) return walk_lengths(s->operand_type, visitor);
      return walk(s->operand, visitor);
    }
    case ExprKind::offsetof_:
      for (const Expr* index : static_cast<const OffsetofExpr*>(e)->variable_indices) walk(index, visitor);
      return;
    case ExprKind::call:
      walk(static_cast<const CallExpr*>(e)->callee, visitor);
      for (const Expr* arg : static_cast<const CallExpr*>(e)->args) walk(arg, visitor);
      return;
    case ExprKind::member:
      return walk(static_cast<const MemberExpr*>(e)->base, visitor);
    case ExprKind::subscript:
      walk(static_cast<const SubscriptExpr*>(e)->base, visitor);
      return walk(static_cast<const SubscriptExpr*>(e)->index, visitor);
    case ExprKind::compound_literal:
      return walk(static_cast<const CompoundLiteralExpr*>(e)->init, visitor);
    case ExprKind::init_list:
      for (const InitEntry& entry : static_cast<const InitListExpr*>(e)->entries) walk(entry.value, visitor);
      return;
    case ExprKind::statement:
      return walk(static_cast<const StatementExpr*>(e)->body, visitor);
    case ExprKind::generic:
      return walk(static_cast<const GenericExpr*>(e)->chosen, visitor);
    case ExprKind::choose:
      return walk(static_cast<const ChooseExpr*>(e)->chosen, visitor);
    case ExprKind::va_arg_:
      walk_lengths(e->type, visitor);
      return walk(static_cast<const VaArgExpr*>(e)->list, visitor);
    default:
      return;
  }
}

namespace {

void walk_group(const DeclGroup* group, const Visitor& visitor) {
  visitor.group(group);
  for (const Decl* decl : group->decls) {
    if (decl->kind == DeclKind::variable || decl->kind == DeclKind::typedef_) walk_lengths(decl->type, visitor);
    if (const auto* var = decl_cast<VarDecl>(decl)) walk(var->init, visitor);
  }
}

}  // namespace

void walk(const Stmt* s, const Visitor& visitor) {
  if (s == nullptr || !visitor.stmt(s)) return;
  switch (s->kind) {
    case StmtKind::expression:
      return walk(static_cast<const ExprStmt*>(s)->expr, visitor);
    case StmtKind::compound:
      for (const Stmt* item : static_cast<const CompoundStmt*>(s)->items) walk(item, visitor);
      return;
    case StmtKind::declaration:
      return walk_group(static_cast<const DeclStmt*>(s)->group, visitor);
    case StmtKind::if_:
      walk(static_cast<const IfStmt*>(s)->condition, visitor);
      walk(static_cast<const IfStmt*>(s)->then, visitor);
      return walk(static_cast<const IfStmt*>(s)->otherwise, visitor);
    case StmtKind::while_:
      walk(static_cast<const WhileStmt*>(s)->condition, visitor);
      return walk(static_cast<const WhileStmt*>(s)->body, visitor);
    case StmtKind::do_:
      walk(static_cast<const DoStmt*>(s)->body, visitor);
      return walk(static_cast<const DoStmt*>(s)->condition, visitor);
    case StmtKind::for_: {
      const auto* f = static_cast<const ForStmt*>(s);
      walk(f->init, visitor);
      walk(f->condition, visitor);
      walk(f->step, visitor);
      return walk(f->body, visitor);
    }
    case StmtKind::upc_forall: {
      const auto* f = static_cast<const UpcForallStmt*>(s);
      walk(f->init, visitor);
      walk(f->condition, visitor);
      walk(f->step, visitor);
      walk(f->affinity, visitor);
      return walk(f->body, visitor);
    }
    case StmtKind::switch_:
      walk(static_cast<const SwitchStmt*>(s)->condition, visitor);
      return walk(static_cast<const SwitchStmt*>(s)->body, visitor);
    case StmtKind::case_:
      return walk(static_cast<const CaseStmt*>(s)->body, visitor);
    case StmtKind::default_:
      return walk(static_cast<const DefaultStmt*>(s)->body, visitor);
    case StmtKind::label:
      return walk(static_cast<const LabelStmt*>(s)->body, visitor);
    case StmtKind::computed_goto:
      return walk(static_cast<const ComputedGotoStmt*>(s)->target, visitor);
    case StmtKind::return_:
      return walk(static_cast<const ReturnStmt*>(s)->value, visitor);
    case StmtKind::asm_:
      for (const AsmOperand& operand : static_cast<const AsmStmt*>(s)->operands) walk(operand.expr, visitor);
      return;
    case StmtKind::upc_sync:
      return walk(static_cast<const UpcSyncStmt*>(s)->value, visitor);
    default:
      return;
  }
}

bool names(const Expr* e, const std::function<bool(const Decl*)>& one_of_those) {
  bool found = false;
  Visitor visitor;
  visitor.expr = [&](const Expr* part) {
    const auto* name = expr_cast<DeclRef>(part);
    found = found || (name != nullptr && one_of_those(name->decl));
    return !found;
  };
  walk(e, visitor);
  return found;
}

}  // namespace upcc
