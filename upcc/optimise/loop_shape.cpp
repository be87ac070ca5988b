#include "optimise/loop_plan.hpp"

// Recognises counted loops: for (i = lo; i < hi; i++), <=, != with step 1, i += c, ++i, declared or not.

namespace upcc {

namespace {

const Expr* strip_conversions(const Expr* e) {
  for (;;) {
    e = strip_parens(e);
    const auto* c = expr_cast<CastExpr>(e);
    if (c == nullptr || !c->implicit) return e;
    e = c->operand;
  }
}

const Decl* variable_read(const Expr* e) {
  const auto* ref = expr_cast<DeclRef>(strip_conversions(e));
  return ref == nullptr ? nullptr : ref->decl;
}

bool is_index_type(QualType type) {
  switch (type->kind) {
    case TypeKind::int_:
    case TypeKind::uint:
    case TypeKind::long_:
    case TypeKind::ulong:
    case TypeKind::longlong:
    case TypeKind::ulonglong:
      return !type.is_volatile() && !type.quals.has(Quals::kAtomic) && !type.is_shared();
    default:
      return false;
  }
}

bool first_value(const Stmt* init, LoopShape& shape) {
  if (init == nullptr || init->kind == StmtKind::null) return true;
  if (const auto* d = stmt_cast<DeclStmt>(init)) {
    if (d->group->decls.size() != 1 || d->group->defines_tag) return false;
    const auto* var = decl_cast<VarDecl>(d->group->decls[0]);
    if (var == nullptr || var->init == nullptr || var->duration != StorageDuration::automatic) return false;
    shape.index = var;
    shape.first = var->init;
    shape.declared_inside = true;
    return true;
  }
  const auto* e = stmt_cast<ExprStmt>(init);
  if (e == nullptr) return false;
  const auto* assign = expr_cast<AssignExpr>(strip_parens(e->expr));
  if (assign == nullptr || assign->compound) return false;
  const auto* ref = expr_cast<DeclRef>(strip_parens(assign->lhs));
  if (ref == nullptr) return false;
  shape.index = ref->decl;
  shape.first = assign->rhs;
  return true;
}

}  // namespace

std::optional<LoopPlanner::Context> LoopPlanner::canonical(const Stmt* init, const Expr* condition, const Expr* step,
                                                           const Stmt* body) const {
  Context context{};
  LoopShape& shape = context.shape;
  if (condition == nullptr || step == nullptr || !first_value(init, shape)) return std::nullopt;
  // step
  const Expr* s = strip_parens(step);
  const Decl* stepped = nullptr;
  if (const auto* u = expr_cast<UnaryExpr>(s);
      u != nullptr && (u->op == UnaryOp::pre_inc || u->op == UnaryOp::post_inc)) {
    stepped = variable_read(u->operand);
  } else if (const auto* a = expr_cast<AssignExpr>(s); a != nullptr && a->compound && a->op == BinaryOp::add) {
    Int128 amount = 0;
    if (!constants_.integer(a->rhs, amount) || amount <= 0 || amount > (1 << 30)) return std::nullopt;
    stepped = variable_read(a->lhs);
    shape.step = static_cast<std::int64_t>(amount);
  }
  if (stepped == nullptr || (shape.index != nullptr && shape.index != stepped)) return std::nullopt;
  shape.index = stepped;
  // condition
  const auto* test = expr_cast<BinaryExpr>(strip_parens(condition));
  if (test == nullptr) return std::nullopt;
  BinaryOp op = test->op;
  const Expr* index = test->lhs;
  shape.limit = test->rhs;
  if (op == BinaryOp::gt || op == BinaryOp::ge) {
    std::swap(index, shape.limit);
    op = op == BinaryOp::gt ? BinaryOp::lt : BinaryOp::le;
  }
  if (variable_read(index) != shape.index) return std::nullopt;
  if (op != BinaryOp::lt && op != BinaryOp::le && !(op == BinaryOp::ne && shape.step == 1)) return std::nullopt;
  shape.inclusive = op == BinaryOp::le;
  if (!shape.limit->type->is_integer() || types_.integer_bits(shape.limit->type.type) > 64) return std::nullopt;
  // The comparison must not change either side's value: `int < size_t` of a negative int would.
  const bool index_signed = TypeContext::is_signed(shape.index->type.type);
  if (index_signed && !TypeContext::is_signed(test->lhs->type.type)) {
    Int128 limit = 0;
    const bool limit_known = constants_.integer(shape.limit, limit);
    Int128 first = -1;
    const bool starts_positive = shape.first != nullptr && constants_.integer(shape.first, first) && first >= 0;
    if (!limit_known && !starts_positive) return std::nullopt;
    if (!starts_positive) return std::nullopt;
  }
  const auto* var = decl_cast<VarDecl>(shape.index);
  const bool automatic =
      shape.index->kind == DeclKind::param || (var != nullptr && var->duration == StorageDuration::automatic);
  if (!automatic || !is_index_type(shape.index->type)) return std::nullopt;
  context.facts = facts_of(body, condition, nullptr);
  const LoopFacts& facts = context.facts;
  if (facts.cannot_copy || facts.leaves || facts.modified.contains(shape.index) ||
      facts.address_taken.contains(shape.index) || !invariant(shape.limit, facts)) {
    return std::nullopt;
  }
  context.facts.modified.insert(shape.index);  // from here on it is what varies
  context.body = body;
  return context;
}

}  // namespace upcc
