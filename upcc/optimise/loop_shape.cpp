#include <algorithm>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Recognises counted loops, up and down: for (i = lo; i < hi; i += c) and its relatives, index declared or not, and
// variables that move with the index: i++, p++.

namespace upcc {

namespace {

const Expr* strip_implicit(const Expr* e) {
  for (;;) {
    e = strip_parens(e);
    const auto* c = expr_cast<CastExpr>(e);
    if (c == nullptr || !c->implicit) return e;
    e = c->operand;
  }
}

const Decl* variable_read(const Expr* e) {
  const auto* ref = expr_cast<DeclRef>(strip_implicit(e));
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

bool compares(const Expr* condition, const Decl* variable) {
  const auto* test = expr_cast<BinaryExpr>(strip_parens(condition));
  return test != nullptr && (variable_read(test->lhs) == variable || variable_read(test->rhs) == variable);
}

// What i++, --i, i += c, i -= c, i = i + c, i = c + i and i = i - c change.
struct Stepped {
  const Decl* variable = nullptr;  // null of anything else
  const Expr* amount = nullptr;    // null for 1
  bool down = false;
};

Stepped stepped_by(const Expr* step) {
  const Expr* s = strip_parens(step);
  Stepped out;
  if (const auto* u = expr_cast<UnaryExpr>(s)) {
    out.down = u->op == UnaryOp::pre_dec || u->op == UnaryOp::post_dec;
    if (!out.down && u->op != UnaryOp::pre_inc && u->op != UnaryOp::post_inc) return {};
    out.variable = variable_read(u->operand);
  } else if (const auto* a = expr_cast<AssignExpr>(s)) {
    const auto* sum = a->compound ? nullptr : expr_cast<BinaryExpr>(strip_implicit(a->rhs));
    if (!a->compound && sum == nullptr) return {};
    const BinaryOp op = a->compound ? a->op : sum->op;
    if (op != BinaryOp::add && op != BinaryOp::sub) return {};
    out.variable = variable_read(a->lhs);
    out.down = op == BinaryOp::sub;
    out.amount = a->compound ? a->rhs : sum->rhs;
    if (sum != nullptr && variable_read(sum->lhs) != out.variable) {
      if (out.down || variable_read(sum->rhs) != out.variable) return {};
      out.amount = sum->lhs;
    }
  }
  return out;
}

// The first value of the variable that the condition compares, or of the only one that the clause sets.
bool first_value(const Stmt* init, const Expr* condition, LoopShape& shape) {
  if (init == nullptr || init->kind == StmtKind::null) return true;
  if (const auto* d = stmt_cast<DeclStmt>(init)) {
    if (d->group->defines_tag) return false;
    const auto& decls = d->group->decls;
    const auto is_of_group = [&](const Decl* one) { return std::find(decls.begin(), decls.end(), one) != decls.end(); };
    for (const Decl* decl : decls) {
      const auto* var = decl_cast<VarDecl>(decl);
      if (var == nullptr || var->init == nullptr || var->duration != StorageDuration::automatic) return false;
      const bool alone = decls.size() == 1;
      // Each is computed by itself, perhaps more than once.
      if (!alone && (!is_index_type(var->type) || var->init->has_side_effects || names(var->init, is_of_group)))
        return false;
      if (!alone && !compares(condition, var)) continue;
      shape.index = var;
      shape.first = var->init;
      shape.declared_inside = true;
    }
    return shape.index != nullptr;
  }
  const auto* e = stmt_cast<ExprStmt>(init);
  if (e == nullptr) return false;
  if (parts_of(e->expr).size() > 1) return true;
  const auto* assign = expr_cast<AssignExpr>(strip_parens(e->expr));
  if (assign == nullptr || assign->compound) return false;
  const auto* ref = expr_cast<DeclRef>(strip_parens(assign->lhs));
  if (ref == nullptr) return false;
  shape.index = ref->decl;
  shape.first = assign->rhs;
  return true;
}

}  // namespace

LoopClauses clauses_of(const Stmt* loop) {
  LoopClauses clauses;
  if (const auto* f = stmt_cast<ForStmt>(loop))
    clauses = {.init = f->init, .condition = f->condition, .step = f->step, .body = f->body};
  if (const auto* f = stmt_cast<UpcForallStmt>(loop)) {
    clauses = {.init = f->init, .condition = f->condition, .step = f->step, .body = f->body};
    const bool divides =
        f->affinity_kind == AffinityKind::integer || f->affinity_kind == AffinityKind::pointer_to_shared;
    if (divides) clauses.affinity_kind = f->affinity_kind;
    if (divides) clauses.affinity = f->affinity;
  }
  return clauses;
}

// The index moves by a constant or by what does not change in the loop.
bool LoopPlanner::step_of(const Expr* step, LoopShape& shape) const {
  const auto [stepped, amount, backwards] = stepped_by(step);
  bool down = backwards;
  if (stepped == nullptr || (shape.index != nullptr && shape.index != stepped)) return false;
  if (!is_index_type(stepped->type)) return false;
  shape.index = stepped;
  Int128 constant = 1;
  if (amount != nullptr && !context_.constants.integer(amount, constant)) {
    const bool integer = amount->type->is_integer() && types_.integer_bits(amount->type.type) <= 64;
    if (!integer || amount->has_side_effects) return false;
    // Unsigned numbers of 32 bits may step back by wrapping around.
    const Type* index = stepped->type.type;
    const bool narrow = types_.integer_bits(index) < 64;
    const bool is_signed = TypeContext::is_signed(index) && TypeContext::is_signed(amount->type.type);
    if (narrow && !is_signed && strip_implicit(amount)->kind != ExprKind::threads) return false;
    shape.stride = amount;
    shape.stride_is_threads = strip_implicit(amount)->kind == ExprKind::threads;
  }
  if (constant < 0) down = !down;
  if (constant == 0 || constant > (1 << 30) || constant < -(1 << 30)) return false;
  shape.step = static_cast<std::int64_t>(constant < 0 ? -constant : constant) * (down ? -1 : 1);
  return true;
}

// Another variable moves by a constant: a pointer, or an integer that does not wrap around in 32 bits.
bool LoopPlanner::second_of(const Expr* step, LoopShape& shape) const {
  const auto [stepped, amount, down] = stepped_by(step);
  if (stepped == nullptr || stepped == shape.index || shape.second(stepped) != nullptr) return false;
  const auto* var = decl_cast<VarDecl>(stepped);
  const QualType type = stepped->type;
  if (stepped->kind != DeclKind::param && (var == nullptr || var->duration != StorageDuration::automatic)) return false;
  if (type.is_volatile() || type.quals.has(Quals::kAtomic)) return false;
  if (type->is_pointer()) {
    const QualType pointee = static_cast<const PointerType*>(type.type)->pointee;
    if (pointee->variably_modified || TypeContext::element_count(pointee).times_threads) return false;
  } else if (!is_index_type(type) || (!TypeContext::is_signed(type.type) && types_.integer_bits(type.type) < 64)) {
    return false;
  }
  Int128 constant = 1;
  if (amount != nullptr && !context_.constants.integer(amount, constant)) return false;
  if (constant > (1 << 30) || constant < -(1 << 30)) return false;
  SecondIndex second{.variable = stepped, .step = static_cast<std::int64_t>(down ? -constant : constant)};
  shape.seconds.push_back(second);
  return true;
}

// i++, or i++, p++: the condition says which of them is the index.
bool LoopPlanner::steps_of(const Expr* step, const Expr* condition, LoopShape& shape) const {
  const std::vector<const Expr*> parts = parts_of(step);
  if (parts.size() == 1) return step_of(step, shape);
  const auto index = std::find_if(parts.begin(), parts.end(), [&](const Expr* part) {
    const Decl* moved = stepped_by(part).variable;
    return moved != nullptr && compares(condition, moved);
  });
  if (index == parts.end() || !step_of(*index, shape)) return false;
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Expr* part) { return part == *index || second_of(part, shape); });
}

// i < n, n > i, i <= n, i >= n, ...: towards the limit, as the step goes.
bool LoopPlanner::limit_of(const Expr* condition, LoopShape& shape) const {
  const auto* test = expr_cast<BinaryExpr>(strip_parens(condition));
  if (test == nullptr || test->op < BinaryOp::lt || test->op > BinaryOp::ne || test->op == BinaryOp::eq) return false;
  const bool swapped = variable_read(test->lhs) != shape.index;
  if (swapped && variable_read(test->rhs) != shape.index) return false;
  shape.limit = swapped ? test->lhs : test->rhs;
  const bool unit = shape.stride == nullptr && (shape.step == 1 || shape.step == -1);
  shape.is_unsigned = !TypeContext::is_signed(test->lhs->type.type);
  if (test->op == BinaryOp::ne) {
    // An unsigned index that starts beyond its limit reaches it at the other end of its type.
    Int128 low = -1;
    const Expr* lowest = shape.step > 0 ? shape.first : shape.limit;
    const bool ordered = lowest != nullptr && context_.constants.integer(lowest, low) && low == 0;
    if (!unit || (shape.is_unsigned && !ordered)) return false;
    shape.until_equal = true;
  }
  const bool less = test->op == BinaryOp::lt || test->op == BinaryOp::le;
  if (test->op != BinaryOp::ne && (less != swapped) != (shape.step > 0)) return false;
  shape.inclusive = test->op == BinaryOp::le || test->op == BinaryOp::ge;
  if (!shape.limit->type->is_integer() || types_.integer_bits(shape.limit->type.type) > 64) return false;
  // The comparison must not change either side's value: `int < size_t` of a negative int would.
  const bool index_signed = TypeContext::is_signed(shape.index->type.type);
  Int128 first = -1;
  const bool starts_positive = shape.first != nullptr && context_.constants.integer(shape.first, first) && first >= 0;
  if (index_signed && shape.is_unsigned && (!starts_positive || shape.step < 0)) return false;
  // An unsigned index that counts down past zero goes on from the top.
  Int128 limit = 0;
  const bool stops_above_zero =
      unit && (!shape.inclusive || (context_.constants.integer(shape.limit, limit) && limit > 0));
  return index_signed || shape.step > 0 || stops_above_zero;
}

std::vector<const Expr*> parts_of(const Expr* e) {
  if (e == nullptr) return {};
  const auto* comma = expr_cast<BinaryExpr>(strip_parens(e));
  if (comma == nullptr || comma->op != BinaryOp::comma) return {e};
  std::vector<const Expr*> parts = parts_of(comma->lhs);
  for (const Expr* part : parts_of(comma->rhs)) parts.push_back(part);
  return parts;
}

namespace {

// Whether all variables that the init clause declares are the index and seconds of the loop; they get their first
// values.
bool takes_first_values(const Stmt* init, LoopShape& shape) {
  const auto* d = stmt_cast<DeclStmt>(init);
  if (d == nullptr || d->group->decls.size() == 1) return true;
  for (const Decl* decl : d->group->decls) {
    if (decl == shape.index) continue;
    const auto second = std::find_if(shape.seconds.begin(), shape.seconds.end(),
                                     [&](const SecondIndex& s) { return s.variable == decl; });
    if (second == shape.seconds.end()) return false;
    second->first = decl_cast<VarDecl>(decl)->init;
  }
  return true;
}

}  // namespace

std::optional<LoopPlanner::Context> LoopPlanner::counted(const Stmt* init, const Expr* condition, const Expr* step,
                                                         const Stmt* body) const {
  Context context{.shape = {}, .effects = Effects(context_, address_taken_), .body = body};
  LoopShape& shape = context.shape;
  Effects& effects = context.effects;
  if (condition == nullptr || step == nullptr || !first_value(init, condition, shape)) return std::nullopt;
  if (!steps_of(step, condition, shape) || !limit_of(condition, shape)) return std::nullopt;
  if (!takes_first_values(init, shape)) return std::nullopt;
  const auto* var = decl_cast<VarDecl>(shape.index);
  const bool automatic =
      shape.index->kind == DeclKind::param || (var != nullptr && var->duration == StorageDuration::automatic);
  if (!automatic) return std::nullopt;
  effects.add(body);
  effects.add(condition);
  if (effects.changes(shape.index) || effects.takes_address_of(shape.index)) return std::nullopt;
  effects.add_change_of(shape.index);  // from here on it is what varies
  for (const SecondIndex& second : shape.seconds) {
    const bool moved_elsewhere = effects.changes(second.variable) || effects.takes_address_of(second.variable);
    if (moved_elsewhere || effects.ends_early()) return std::nullopt;
  }
  for (const SecondIndex& second : shape.seconds) effects.add_change_of(second.variable);
  bool loads = false;  // harmless: the loop would look at its limit, too, whatever happens then
  if (!effects.same_value(shape.limit, &loads)) return std::nullopt;
  if (shape.stride == nullptr) return context;
  // The stride is looked at before the loop begins.
  if (!effects.same_value(shape.stride) || (shape.first != nullptr && shape.first->has_side_effects))
    return std::nullopt;
  return context;
}

}  // namespace upcc
