#include <algorithm>

#include "optimise/loop_plan.hpp"
#include "optimise/report.hpp"

// Pass gather: b[index[i]] and its like, where memory is not mapped. Before some iterations a first loop computes the
// places that they access; what they read is fetched in one operation per thread, what they have written is put back so
// behind them (weft/upcrt/gather.h). Right if
//   - each iteration performs the access, reads or writes the whole of the element, and does not do both;
//   - nothing in the body changes what the place is computed from, or orders accesses;
//   - nothing else in the body writes what is read, or accesses what is written: another declared object, or this
//     thread's own memory, which is mapped.

namespace upcc {

namespace {

// Why the accesses of a place are not moved together.
struct Obstacle {
  const char* what = nullptr;   // null: they are
  const Expr* other = nullptr;  // an access that may meet them
};

class Search {
 public:
  explicit Search(const PlannedLoop& loop, const LoopPlan& plan)
      : loop_(loop), plan_(plan), all_(shared_accesses(loop.context.body)) {}

  // The accesses whose places are known before the iterations, and that nothing else has planned.
  [[nodiscard]] std::vector<PlannedAccess> known_places() const {
    const LoopPlanner::Context& context = loop_.context;
    const Effects each = context.of_one_iteration();
    LoopPlan found;
    for (const PerformedAccess& one : all_) {
      const Expr* place = place_of(one.lvalue);
      const auto* deref = expr_cast<UnaryExpr>(place);
      const bool element = place->kind == ExprKind::subscript || (deref != nullptr && deref->op == UnaryOp::deref);
      if (!element || place->type->is_array() || one.lvalue->type.stays_as_written() || place->is_bitfield) continue;
      const bool planned = loop_.known(place) || std::any_of(plan_.accesses.begin(), plan_.accesses.end(),
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
    loop_.planner.mark_certain(found, context.body);
    return found.accesses;
  }

  [[nodiscard]] Obstacle obstacle(const PlannedAccess& access) const {
    const bool writes = !access.writes.empty();
    if (access.partly_written) return {"only a part of the element is written"};
    if (writes && access.read) return {"one iteration reads it and writes it"};
    if (!access.certain) return {"some iterations may not access it"};
    if (writes && !access.certainly_written) return {"some iterations may not write it"};
    const auto met = std::find_if(all_.begin(), all_.end(), [&](const PerformedAccess& other) {
      const Expr* place = place_of(other.lvalue);
      return !plan_.is_own(place) && !access.is_at(place) && (writes || other.writes) &&
             may_be_one_object(other.lvalue, access.lvalue);
    });
    return met == all_.end() ? Obstacle{} : Obstacle{"may be the same element", met->lvalue};
  }

 private:
  const PlannedLoop& loop_;
  const LoopPlan& plan_;
  const std::vector<PerformedAccess> all_;
};

void decide(LoopPlan& plan, const PlannedLoop& loop) {
  const Search search(loop, plan);
  for (const PlannedAccess& access : search.known_places()) {
    if (search.obstacle(access).what == nullptr) plan.gathered.push_back(access);
  }
}

}  // namespace

std::string LoopPlanner::obstacle_to_gather(const LoopClauses& loop, const Context& context, const Expr* place,
                                            const TranslationUnit& unit) const {
  if (!options_.on(Pass::gather)) return "the pass gather is off";
  const std::function<bool(const Expr*)> known = [](const Expr*) { return false; };
  const LoopPlan plan = plan_as_it_is(loop, known).value_or(LoopPlan{});
  const PlannedLoop planned{*this, loop, context, known};
  const Search search(planned, plan);
  for (const PlannedAccess& access : search.known_places()) {
    if (!access.is_at(place)) continue;
    const Obstacle found = search.obstacle(access);
    if (found.other != nullptr) return "'" + as_written(unit, found.other) + "' in the loop " + found.what;
    if (found.what != nullptr) return found.what;
  }
  return "it is no element of an array: write (*p).m instead of p->m";
}

const Pass Pass::gather{
    .name = "gather",
    .help = "elements of other hosts at indices that are known before a loop's iterations are moved together",
    .batch = decide};

}  // namespace upcc
