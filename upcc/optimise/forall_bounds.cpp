#include <cstdlib>

#include "optimise/loop_plan.hpp"

// Pass forall-bounds: which iterations of a upc_forall are this thread's, as loop bounds instead of a test in each
// iteration (UPC 6.6.2). An affinity that is linear in the index gives
//   cyclic layout or an integer   every THREADS-th iteration (every THREADS/gcd-th when it advances by more than one)
//   blocks of B elements, and     runs of iterations, one per block
//   an integer divided by B
//   indefinite layout, constant   all iterations on one thread
// Anything else keeps the test. A loop whose body is one test of a thread is a upc_forall of that affinity.

namespace upcc {

namespace {

// Products of these are computed at run time.
bool is_large(std::int64_t per_index) { return std::abs(per_index) >= std::int64_t{1} << 20; }

}  // namespace

bool LoopPlanner::forall_bounds(LoopPlan& plan, const LoopClauses& loop, const Context& context) const {
  if (!options_.on(Pass::forall_bounds) || loop.affinity->has_side_effects) return false;
  context.only_if_no_wrap = false;
  if (loop.affinity_kind == AffinityKind::integer) {
    const auto* quotient = expr_cast<BinaryExpr>(strip_parens(loop.affinity));
    Int128 block = 0;
    const bool divided = quotient != nullptr && quotient->op == BinaryOp::div &&
                         context_.constants.integer(quotient->rhs, block) && block > 1 && block < (Int128{1} << 40);
    const Expr* value = divided ? quotient->lhs : loop.affinity;
    const auto per_index = coefficient(value, context);
    if (!per_index || is_large(*per_index) || context.only_if_no_wrap) return false;
    plan.affinity_per_index = *per_index;
    plan.affinity_block = divided ? static_cast<std::uint64_t>(block) : 1;
    plan.split = *per_index == 0 ? Split::one_thread : divided ? Split::blocked : Split::cyclic;
    if (plan.split == Split::blocked) plan.affinity_dividend = value;
    return true;
  }
  const auto motion = pointer_motion(loop.affinity, context);
  if (!motion || is_large(motion->per_index) || context.only_if_no_wrap) return false;
  plan.affinity_per_index = motion->per_index;
  plan.affinity_block = motion->block;
  plan.split = motion->per_index == 0 || motion->block == 0 ? Split::one_thread
               : motion->block == 1                         ? Split::cyclic
                                                            : Split::blocked;
  return true;
}

std::optional<LoopClauses> LoopPlanner::divided_by_test(const LoopClauses& loop) const {
  const Stmt* body = loop.body;
  while (const auto* block = stmt_cast<CompoundStmt>(body)) {
    if (block->items.size() != 1) return std::nullopt;
    body = block->items[0];
  }
  const auto* test = stmt_cast<IfStmt>(body);
  const auto* equality = test == nullptr ? nullptr : expr_cast<BinaryExpr>(strip_parens(test->condition));
  if (equality == nullptr || equality->op != BinaryOp::eq || test->otherwise != nullptr) return std::nullopt;
  const Expr* pointer = tested_pointer(test->condition);
  if (pointer == nullptr || pointer->has_side_effects) return std::nullopt;
  LoopClauses divided = loop;
  divided.body = test->then;
  divided.affinity_kind = AffinityKind::pointer_to_shared;
  divided.affinity = pointer;
  return divided;
}

}  // namespace upcc
