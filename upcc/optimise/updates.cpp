#include <algorithm>
#include <unordered_set>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Pass updates: H[e] op= v, H[e]++ and their like, where memory is not mapped. The runtime keeps them and sends many to
// the owner of the objects in one message (weft/upcrt/update.h); they have taken effect when the loop ends. Right if
//   - nobody looks at the value of the expression, and the owner can compute what the program would: integers of 4 and
//     8 bytes, whose arithmetic wraps, and floating-point numbers that are computed in their own type;
//   - nothing in the body orders accesses, or ends the loop or the program early;
//   - nothing else in the body accesses the object, but other such updates, which keep their order, and accesses of
//   this
//     thread's own memory, which is mapped.

namespace upcc {

const Expr* updated_lvalue(const Expr* e) {
  if (const auto* a = expr_cast<AssignExpr>(e)) return a->compound ? a->lhs : nullptr;
  const auto* u = expr_cast<UnaryExpr>(e);
  const bool steps = u != nullptr && (u->op == UnaryOp::pre_inc || u->op == UnaryOp::pre_dec ||
                                      u->op == UnaryOp::post_inc || u->op == UnaryOp::post_dec);
  return steps ? u->operand : nullptr;
}

namespace {

const char* name_of(BinaryOp op, bool floating) {
  switch (op) {
    case BinaryOp::add:
      return "UPCR_UPDATE_ADD";
    case BinaryOp::sub:
      return "UPCR_UPDATE_SUB";
    case BinaryOp::bit_and:
      return floating ? nullptr : "UPCR_UPDATE_AND";
    case BinaryOp::bit_or:
      return floating ? nullptr : "UPCR_UPDATE_OR";
    case BinaryOp::bit_xor:
      return floating ? nullptr : "UPCR_UPDATE_XOR";
    default:
      return nullptr;
  }
}

const char* type_of(const Type* type, const TypeContext& types) {
  if (type->kind == TypeKind::float_) return "UPCR_UPDATE_F32";
  if (type->kind == TypeKind::double_) return "UPCR_UPDATE_F64";
  if (!type->is_integer() || type->is_bool() || type->is_enum()) return nullptr;
  const unsigned bits = types.integer_bits(type);
  return bits == 32 ? "UPCR_UPDATE_U32" : bits == 64 ? "UPCR_UPDATE_U64" : nullptr;
}

// Statements that are nothing but an update. The last statement of ({ }) is its value.
std::vector<const Expr*> statements_that_update(const Stmt* body) {
  std::vector<const Expr*> out;
  std::unordered_set<const Stmt*> values;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* block = expr_cast<StatementExpr>(e);
    const auto* inside = block == nullptr ? nullptr : stmt_cast<CompoundStmt>(block->body);
    if (inside != nullptr && !inside->items.empty()) values.insert(inside->items.back());
    return true;
  };
  visitor.stmt = [&](const Stmt* s) {
    const auto* statement = stmt_cast<ExprStmt>(s);
    if (statement == nullptr || statement->expr == nullptr || values.contains(s)) return true;
    const Expr* e = strip_parens(statement->expr);
    if (e->access == Access::relaxed && updated_lvalue(e) != nullptr) out.push_back(e);
    return true;
  };
  walk(body, visitor);
  return out;
}

}  // namespace

std::optional<UpdateKind> update_kind(const Expr* update, const TypeContext& types) {
  const Expr* lvalue = updated_lvalue(update);
  if (lvalue->is_bitfield || lvalue->type.stays_as_written()) return std::nullopt;
  const Type* object = lvalue->type.type;
  const char* type = type_of(object, types);
  if (type == nullptr) return std::nullopt;
  if (const auto* u = expr_cast<UnaryExpr>(update)) {
    const bool up = u->op == UnaryOp::pre_inc || u->op == UnaryOp::post_inc;
    return UpdateKind{up ? "UPCR_UPDATE_INC" : "UPCR_UPDATE_DEC", type};
  }
  const auto* a = static_cast<const AssignExpr*>(update);
  const Type* computed = a->computation_type.type;
  const bool floating = object->is_real_floating();
  const char* op = name_of(a->op, floating);
  const bool same =
      floating ? computed->kind == object->kind : computed->is_integer() && types.integer_bits(computed) <= 64;
  return op != nullptr && same ? std::optional(UpdateKind{op, type}) : std::nullopt;
}

namespace {

void decide(LoopPlan& plan, const PlannedLoop& loop) {
  const Stmt* body = loop.context.body;
  if (!loop.planner.always_returns(body)) return;
  // Where the passes before this one have found something better.
  const auto moves_already = [&](const Expr* place) {
    return loop.known(place) || plan.is_own(place) ||
           std::any_of(plan.accesses.begin(), plan.accesses.end(),
                       [&](const PlannedAccess& a) { return a.in_window && a.is_at(place); }) ||
           std::any_of(plan.nested.begin(), plan.nested.end(),
                       [&](const NestedAccess& a) { return a.access.is_at(place); });
  };
  std::vector<const Expr*> found = statements_that_update(body);
  std::erase_if(found, [&](const Expr* e) {
    return !update_kind(e, loop.planner.types()) || moves_already(place_of(updated_lvalue(e)));
  });
  const std::vector<PerformedAccess> all = shared_accesses(body);
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    std::unordered_set<const Expr*> lvalues;
    for (const Expr* e : found) lvalues.insert(updated_lvalue(e));
    std::erase_if(found, [&](const Expr* e) {
      return std::any_of(all.begin(), all.end(), [&](const PerformedAccess& other) {
        return !lvalues.contains(other.lvalue) && !plan.is_own(place_of(other.lvalue)) &&
               may_be_one_object(other.lvalue, updated_lvalue(e));
      });
    });
  }
  plan.updates = std::move(found);
}

}  // namespace

const Pass Pass::updates{.name = "updates",
                         .help = "updates of other hosts' memory, x[e] += v, are sent to its owner together",
                         .batch = decide};

}  // namespace upcc
