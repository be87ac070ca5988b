#include <algorithm>
#include <cstdlib>

#include "ast/walk.hpp"
#include "optimise/loop_plan.hpp"

// Pass forall-bounds: which iterations of a upc_forall are this thread's, as loop bounds instead of a test in each
// iteration (UPC 6.6.2). An affinity that is linear in the index gives
//   cyclic layout or an integer   every THREADS-th iteration (every THREADS/gcd-th when it advances by more than one)
//                                 So is a layout of blocks if each iteration goes on by whole blocks: rows of a matrix.
//   blocks of B elements, and     runs of iterations, one per block; one run if the index means only elements of the
//   an integer divided by B       blocks
//   indefinite layout, constant   all iterations on one thread
// Anything else keeps the test. A loop whose body does nothing if a test of that kind fails is such a upc_forall, too.

namespace upcc {

namespace {

// Products of these are computed at run time.
bool is_large(std::int64_t per_index) { return std::abs(per_index) >= std::int64_t{1} << 20; }

bool decide(LoopPlan& plan, const PlannedLoop& planned) {
  const LoopClauses& loop = planned.clauses;
  const LoopPlanner::Context& context = planned.context;
  const auto is_second = [&](const Decl* decl) { return context.shape.second(decl) != nullptr; };
  if (loop.affinity->has_side_effects || names(loop.affinity, is_second)) return false;
  context.only_if_no_wrap = false;
  if (loop.affinity_kind == AffinityKind::integer) {
    const auto* quotient = expr_cast<BinaryExpr>(strip_parens(loop.affinity));
    Int128 block = 0;
    const bool divided = quotient != nullptr && quotient->op == BinaryOp::div &&
                         planned.planner.constants().integer(quotient->rhs, block) && block > 1 &&
                         block < (Int128{1} << 40);
    const Expr* value = divided ? quotient->lhs : loop.affinity;
    const auto per_index = planned.planner.coefficient(value, context);
    if (!per_index || is_large(*per_index) || context.only_if_no_wrap) return false;
    plan.affinity_per_index = *per_index;
    plan.affinity_block = divided ? static_cast<std::uint64_t>(block) : 1;
    plan.threads_per_index = *per_index;
    plan.split = *per_index == 0 ? Split::one_thread : divided ? Split::blocked : Split::cyclic;
    // C divides towards zero.
    if (plan.split != Split::blocked && !loop.affinity_is_remainder) return true;
    plan.not_negative = value;  // asked of the first index, which is computed once more then
    return !plan.shape.declared_inside || !plan.shape.first->has_side_effects;
  }
  const auto motion = planned.planner.pointer_motion(loop.affinity, context);
  if (!motion || is_large(motion->per_index) || context.only_if_no_wrap) return false;
  plan.affinity_per_index = motion->per_index;
  plan.affinity_block = motion->block;
  plan.split = Split::one_thread;
  if (motion->per_index == 0 || motion->block == 0) return true;
  const auto block = static_cast<std::int64_t>(motion->block);
  plan.split = motion->per_index % block == 0 ? Split::cyclic : Split::blocked;
  plan.threads_per_index = motion->per_index / block;
  return true;
}

}  // namespace

const Pass Pass::forall_bounds{
    .name = "forall-bounds", .help = "affinity tests of upc_forall become loop bounds and strides", .divide = decide};

bool LoopPlanner::joins_blocks(const LoopPlan& plan, const Stmt* body) {
  const bool each_element = plan.affinity_per_index * plan.shape.step == 1 && plan.shape.stride == nullptr;
  if (plan.split != Split::blocked || !each_element || plan.ends_early) return false;
  const auto in_blocks = [&](const PlannedAccess& a) {
    return a.with_affinity && a.motion.block == plan.affinity_block && a.motion.per_index == plan.affinity_per_index;
  };
  if (!std::all_of(plan.accesses.begin(), plan.accesses.end(), in_blocks)) return false;
  bool asked = false;
  Visitor visitor;
  visitor.expr = [&](const Expr* e) {
    const auto* name = expr_cast<DeclRef>(e);
    const bool moves = name != nullptr && (name->decl == plan.shape.index || plan.shape.second(name->decl) != nullptr);
    asked = asked || moves;
    return std::none_of(plan.accesses.begin(), plan.accesses.end(), [&](const PlannedAccess& a) { return a.is_at(e); });
  };
  walk(body, visitor);
  return !asked;
}

namespace {

bool is_continue(const Stmt* s) {
  while (const auto* block = stmt_cast<CompoundStmt>(s)) {
    if (block->items.size() != 1) return false;
    s = block->items[0];
  }
  return s->kind == StmtKind::continue_;
}

// The affinity that a test has: `upc_threadof(p) == MYTHREAD`, `e % THREADS == MYTHREAD`, or the same with `!=`.
bool tested_affinity(const Expr* condition, BinaryOp comparison, LoopClauses& loop) {
  const auto* test = expr_cast<BinaryExpr>(strip_parens(condition));
  if (test == nullptr || test->op != comparison) return false;
  loop.affinity = pointer_compared(test);
  loop.affinity_kind = AffinityKind::pointer_to_shared;
  if (loop.affinity == nullptr) {
    const Expr* a = strip_conversions(test->lhs);
    const Expr* b = strip_conversions(test->rhs);
    if (a->kind == ExprKind::mythread) std::swap(a, b);
    const auto* rest = expr_cast<BinaryExpr>(a);
    if (b->kind != ExprKind::mythread || rest == nullptr || rest->op != BinaryOp::rem) return false;
    if (strip_conversions(rest->rhs)->kind != ExprKind::threads) return false;
    loop.affinity = rest->lhs;
    loop.affinity_kind = AffinityKind::integer;
    loop.affinity_is_remainder = true;
  }
  return !loop.affinity->has_side_effects;
}

}  // namespace

std::optional<LoopClauses> LoopPlanner::divided_by_test(const LoopClauses& loop) {
  LoopClauses divided = loop;
  const Stmt* body = loop.body;
  const CompoundStmt* block = stmt_cast<CompoundStmt>(body);
  while (block != nullptr && block->items.size() == 1) {
    body = block->items[0];
    block = stmt_cast<CompoundStmt>(body);
  }
  if (const auto* test = stmt_cast<IfStmt>(body)) {
    if (test->otherwise != nullptr || !tested_affinity(test->condition, BinaryOp::eq, divided)) return std::nullopt;
    divided.body = test->then;
    return divided;
  }
  const auto* test = block == nullptr || block->items.empty() ? nullptr : stmt_cast<IfStmt>(block->items[0]);
  if (test == nullptr || test->otherwise != nullptr || !is_continue(test->then)) return std::nullopt;
  if (!tested_affinity(test->condition, BinaryOp::ne, divided)) return std::nullopt;
  // What follows the test, without the braces.
  CompoundStmt& rest = rests_.emplace_back(*block);
  rest.items = block->items.subspan(1);
  rest.tokens = {test->tokens.last, block->tokens.last - 1};
  divided.body = &rest;
  return divided;
}

}  // namespace upcc
