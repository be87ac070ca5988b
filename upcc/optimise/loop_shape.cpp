#include <algorithm>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Recognises counted loops, up and down: for (i = lo; i < hi; i += c) and its relatives, index declared or not, and
// variables that move with the index: i++, p++. The condition may look ahead, i + 1 < n, be the index itself, which
// ends at 0, or step it, i-- > 0.

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

bool is_step(UnaryOp op) { return op >= UnaryOp::pre_inc && op <= UnaryOp::post_dec; }

// A side of a condition that looks at a variable: i, i + 2, i - 2, i--, ++i.
struct Looked {
  const Decl* variable = nullptr;  // null of anything else
  Int128 ahead = 0;                // what it adds to the variable
  const UnaryExpr* step = nullptr;
  const Expr* value = nullptr;  // without what is implicit
};

Looked looked_at(const Expr* side, const ConstEvaluator& constants) {
  const Expr* e = strip_implicit(side);
  Looked out{.variable = variable_read(e), .value = e};
  if (const auto* u = expr_cast<UnaryExpr>(e); u != nullptr && is_step(u->op)) {
    out.variable = variable_read(u->operand);
    out.step = u;
  }
  const auto* sum = expr_cast<BinaryExpr>(e);
  if (sum == nullptr || (sum->op != BinaryOp::add && sum->op != BinaryOp::sub)) return out;
  if (constants.integer(sum->rhs, out.ahead)) {
    out.variable = variable_read(sum->lhs);
    if (sum->op == BinaryOp::sub) out.ahead = -out.ahead;
  } else if (sum->op == BinaryOp::add && constants.integer(sum->lhs, out.ahead)) {
    out.variable = variable_read(sum->rhs);
  }
  return out;
}

// A comparison of a variable with a limit, or with 0 if it is the whole condition.
struct Comparison {
  Looked looked;
  const Expr* compared = nullptr;  // the side with the variable, as it is compared
  const Expr* limit = nullptr;     // null for 0
  BinaryOp op = BinaryOp::ne;      // with the variable on the left
};

std::optional<Comparison> comparison_of(const Expr* condition, const Decl* variable, const ConstEvaluator& constants) {
  const auto* test = expr_cast<BinaryExpr>(strip_parens(condition));
  const bool compares = test != nullptr && test->op >= BinaryOp::lt && test->op <= BinaryOp::ne;
  if (!compares) {
    const Looked looked = looked_at(condition, constants);
    if (looked.variable != variable || looked.ahead != 0) return std::nullopt;
    return Comparison{.looked = looked, .compared = looked.value};
  }
  Looked looked = looked_at(test->lhs, constants);
  if (looked.variable == variable)
    return Comparison{.looked = looked, .compared = test->lhs, .limit = test->rhs, .op = test->op};
  looked = looked_at(test->rhs, constants);
  if (looked.variable != variable) return std::nullopt;
  const BinaryOp op = test->op == BinaryOp::lt   ? BinaryOp::gt
                      : test->op == BinaryOp::gt ? BinaryOp::lt
                      : test->op == BinaryOp::le ? BinaryOp::ge
                      : test->op == BinaryOp::ge ? BinaryOp::le
                                                 : test->op;
  return Comparison{.looked = looked, .compared = test->rhs, .limit = test->lhs, .op = op};
}

// The variable that a condition steps, or null.
const Decl* stepped_in(const Expr* condition, const ConstEvaluator& constants) {
  const auto* test = expr_cast<BinaryExpr>(strip_parens(condition));
  std::vector<const Expr*> sides{condition};
  if (test != nullptr) sides = {test->lhs, test->rhs};
  for (const Expr* side : sides) {
    const Looked looked = looked_at(side, constants);
    if (looked.step != nullptr) return looked.variable;
  }
  return nullptr;
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
bool first_value(const Stmt* init, const Expr* condition, const ConstEvaluator& constants, LoopShape& shape) {
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
      if (!alone && !comparison_of(condition, var, constants)) continue;
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
    return moved != nullptr && comparison_of(condition, moved, context_.constants);
  });
  if (index == parts.end() || !step_of(*index, shape)) return false;
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Expr* part) { return part == *index || second_of(part, shape); });
}

// i-- > 0 and its like, where there is no other step.
bool LoopPlanner::step_in(const Expr* condition, LoopShape& shape) const {
  const Decl* moved = stepped_in(condition, context_.constants);
  if (moved == nullptr || (shape.index != nullptr && shape.index != moved) || !is_index_type(moved->type)) return false;
  const auto comparison = comparison_of(condition, moved, context_.constants);
  if (!comparison) return false;
  const UnaryOp op = comparison->looked.step->op;
  shape.index = moved;
  shape.step = op == UnaryOp::post_inc || op == UnaryOp::pre_inc ? 1 : -1;
  shape.condition_steps = true;
  const bool looks_before = op == UnaryOp::post_inc || op == UnaryOp::post_dec;
  shape.ahead = looks_before ? -shape.step : 0;
  // An unsigned index may begin at an end of its type, beyond which the first step takes it.
  return TypeContext::is_signed(moved->type.type) || op == UnaryOp::post_dec;
}

// i < n, n > i, i <= n, i >= n, i + 2 < n, i, ...: towards the limit, as the step goes.
bool LoopPlanner::limit_of(const Expr* condition, LoopShape& shape) const {
  const auto comparison = comparison_of(condition, shape.index, context_.constants);
  if (!comparison || comparison->op == BinaryOp::eq) return false;
  const auto& [looked, compared, limit, op] = *comparison;
  if ((looked.step != nullptr) != shape.condition_steps) return false;
  shape.limit = limit;
  const bool unit = shape.stride == nullptr && (shape.step == 1 || shape.step == -1);
  const bool index_signed = TypeContext::is_signed(shape.index->type.type);
  shape.is_unsigned = !TypeContext::is_signed(compared->type.type);
  if (looked.ahead != 0) {
    // All indices lie between the first one and the limit, and what is compared does not wrap around, which is tested
    // of an unsigned sum.
    const bool sum_signed = TypeContext::is_signed(looked.value->type.type);
    const bool forwards = shape.step > 0 ? looked.ahead > 0 : looked.ahead < 0 && sum_signed;
    if (!forwards || sum_signed != index_signed || looked.ahead > (1 << 30) || looked.ahead < -(1 << 30)) return false;
    shape.ahead = static_cast<std::int64_t>(looked.ahead);
    shape.ahead_may_wrap = !sum_signed;
  }
  Int128 first = -1;
  const bool first_is_known = shape.first != nullptr && context_.constants.integer(shape.first, first);
  Int128 last = 0;
  const bool limit_is_known = limit == nullptr || context_.constants.integer(limit, last);
  if (op == BinaryOp::ne) {
    // An unsigned index that starts beyond its limit reaches it at the other end of its type.
    const bool ordered =
        shape.step > 0 ? first_is_known && first == 0 && shape.ahead == 0 : limit_is_known && last == 0;
    if (!unit || (shape.is_unsigned && !ordered)) return false;
    shape.until_equal = true;
  }
  const bool less = op == BinaryOp::lt || op == BinaryOp::le;
  if (op != BinaryOp::ne && less != (shape.step > 0)) return false;
  shape.inclusive = op == BinaryOp::le || op == BinaryOp::ge;
  if (limit != nullptr && (!limit->type->is_integer() || types_.integer_bits(limit->type.type) > 64)) return false;
  // The comparison must not change either side's value: `int < size_t` of a negative int would.
  const bool starts_positive = first_is_known && first >= 0;
  if (index_signed && shape.is_unsigned && (!starts_positive || shape.step < 0)) return false;
  // What is tested of the first index computes it once more.
  if (shape.ahead_may_wrap && shape.first != nullptr && shape.first->has_side_effects) return false;
  // An unsigned index that counts down past zero goes on from the top.
  const bool stops_above_zero = unit && (!shape.inclusive || (limit_is_known && last > 0));
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

std::optional<LoopPlanner::Context> LoopPlanner::shaped(const Stmt* init, const Expr* condition, const Expr* step,
                                                        const Stmt* body) const {
  Context context{.shape = {}, .effects = Effects(context_, address_taken_), .body = body};
  LoopShape& shape = context.shape;
  Effects& effects = context.effects;
  if (condition == nullptr || !first_value(init, condition, context_.constants, shape)) return std::nullopt;
  const bool steps = step != nullptr ? steps_of(step, condition, shape) : step_in(condition, shape);
  if (!steps || !limit_of(condition, shape)) return std::nullopt;
  if (!takes_first_values(init, shape)) return std::nullopt;
  if (!shape.index_is_local()) return std::nullopt;
  effects.add(body);
  effects.add(shape.condition_steps ? shape.limit : condition);
  if (effects.changes(shape.index) || effects.takes_address_of(shape.index)) return std::nullopt;
  effects.add_change_of(shape.index);  // from here on it is what varies
  for (const SecondIndex& second : shape.seconds) {
    const bool moved_elsewhere = effects.changes(second.variable) || effects.takes_address_of(second.variable);
    if (moved_elsewhere || effects.ends_early()) return std::nullopt;
  }
  for (const SecondIndex& second : shape.seconds) effects.add_change_of(second.variable);
  return context;
}

std::optional<LoopPlanner::Context> LoopPlanner::counted(const Stmt* init, const Expr* condition, const Expr* step,
                                                         const Stmt* body) const {
  const auto context = shaped(init, condition, step, body);
  if (!context) return std::nullopt;
  const LoopShape& shape = context->shape;
  const Effects& effects = context->effects;
  bool loads = false;  // harmless: the loop would look at its limit, too, whatever happens then
  if (shape.limit != nullptr && !effects.same_value(shape.limit, &loads)) return std::nullopt;
  if (shape.stride == nullptr) return context;
  // The stride is looked at before the loop begins.
  if (!effects.same_value(shape.stride) || (shape.first != nullptr && shape.first->has_side_effects))
    return std::nullopt;
  return context;
}

}  // namespace upcc
