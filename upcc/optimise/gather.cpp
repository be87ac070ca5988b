#include <algorithm>

#include "optimise/loop_plan.hpp"

// Pass gather: b[index[i]] and its like, where memory is not mapped. Before some iterations a first loop computes the
// places that they access; what they read is fetched in one operation per thread, what they have written is put back so
// behind them (weft/upcrt/gather.h). Right if
//   - each iteration performs the access, reads or writes the whole of the element, and does not do both;
//   - nothing in the body changes what the place is computed from, or orders accesses;
//   - nothing else in the body writes what is read, or accesses what is written: another declared object, or this
//     thread's own memory, which is mapped.

namespace upcc {

namespace {

void decide(LoopPlan& plan, const PlannedLoop& loop) {
  const LoopPlanner::Context& context = loop.context;
  const std::vector<PerformedAccess> all = shared_accesses(context.body);
  const Effects each = context.of_one_iteration();
  LoopPlan found;
  for (const PerformedAccess& one : all) {
    const Expr* place = place_of(one.lvalue);
    const auto* deref = expr_cast<UnaryExpr>(place);
    const bool element = place->kind == ExprKind::subscript || (deref != nullptr && deref->op == UnaryOp::deref);
    if (!element || place->type->is_array() || one.lvalue->type.stays_as_written() || place->is_bitfield) continue;
    const bool planned = loop.known(place) || std::any_of(plan.accesses.begin(), plan.accesses.end(),
                                                          [&](const PlannedAccess& a) { return a.is_at(place); });
    bool loads = false;
    if (planned || !each.same_place(place, &loads) || !context.effects.means_the_same_before(place)) continue;
    auto access = std::find_if(found.accesses.begin(), found.accesses.end(),
                               [&](const PlannedAccess& a) { return same_expression(a.lvalue, place); });
    if (access == found.accesses.end()) {
      access = found.accesses.emplace(access);
      access->lvalue = place;
    }
    access->same.push_back(place);
    ++access->performed;
    access->read = access->read || one.reads;
    access->partly_written = access->partly_written || (one.writes && strip_parens(one.lvalue) != place);
    if (one.writes) access->writes.push_back(place);
  }
  loop.planner.mark_certain(found, context.body);
  for (const PlannedAccess& access : found.accesses) {
    const bool writes = !access.writes.empty();
    if (!access.certain || access.partly_written || (writes && (access.read || !access.certainly_written))) continue;
    const bool meets = std::any_of(all.begin(), all.end(), [&](const PerformedAccess& other) {
      const Expr* place = place_of(other.lvalue);
      return !plan.is_own(place) && !access.is_at(place) && (writes || other.writes) &&
             may_be_one_object(other.lvalue, access.lvalue);
    });
    if (!meets) plan.gathered.push_back(access);
  }
}

}  // namespace

const Pass Pass::gather{
    .name = "gather",
    .help = "elements of other hosts at indices that are known before a loop's iterations are moved together",
    .batch = decide};

}  // namespace upcc
