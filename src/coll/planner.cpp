#include "coll/planner.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "coll/algorithm.hpp"
#include "coll/stages.hpp"

namespace weft::coll {

namespace {

// A shape as all of its size class are judged.
Shape typical_of(Shape shape) {
  shape.size = PlanCache::largest(PlanCache::class_of(shape.size));
  return shape;
}

// Without `first`, by prediction, as far as they are worth trying.
std::vector<Trial::Candidate> rivals(const Choice& choice, const Shape& shape, const Trial::Candidate& first) {
  constexpr double worth_trying = 3;  // times the best prediction
  constexpr size_t most = 7;
  std::vector<Trial::Candidate> rivals;
  double least = first.predicted_ns;
  for_each_candidate(shape, [&](const Plan& candidate) {
    if (candidate.same_candidate(first.plan)) return;
    rivals.push_back({candidate, choice.predict(shape, candidate)});
    least = std::min(least, rivals.back().predicted_ns);
  });
  std::erase_if(rivals, [&](const auto& rival) { return rival.predicted_ns > worth_trying * least; });
  std::ranges::stable_sort(rivals, {}, &Trial::Candidate::predicted_ns);
  if (rivals.size() > most) rivals.resize(most);
  return rivals;
}

}  // namespace

Planner::Planner(core::Rank& rank) : choice_(rank) {
  const base::Settings& settings = rank.settings();
  if (settings.tune == "online") tuning_ = std::make_unique<TuningBudget>(settings.tune_budget / 100);
}

Shape Planner::shape_of(const Team& team, const Request& request) {
  return {.op = request.op,
          .members = team.members.size(),
          .size = request.size,
          .element = request.fold.element,
          .commutative = request.fold.commutative,
          .direct = team.members.all_direct(),
          .spread = team.groups.spread(),
          .native = team.native};
}

const Decision& Planner::decision(Team& team, const Shape& shape) {
  PlanCache::Entry& entry = team.plans.entry(shape);
  if (entry.decision.plan.algorithm == nullptr) {
    const Shape typical = typical_of(shape);
    entry = {.decision = choice_.decide(typical)};
    entry.decision.plan = composed(team, typical, entry.decision.plan);
  }
  return entry.decision;
}

void Planner::set_plan(Team& team, const Shape& shape, const Plan& plan) {
  team.plans.entry(shape) = {.decision = {.plan = composed(team, shape, plan), .reason = Reason::set}};
}

void Planner::choose_anew(Team& team, const Shape& shape) { team.plans.entry(shape) = {}; }

Plan Planner::composed(Team& team, const Shape& shape, Plan plan) {
  if (plan.algorithm->compose != nullptr)
    plan.stages = team.plans.keep(plan.algorithm->compose(choice_.model(shape), shape));
  return plan;
}

void Planner::fit(Team& team, const Request& request, PlanCache::Entry& entry) {
  const Shape shape = shape_of(team, request);
  entry.room = room_of(shape, decision(team, shape).plan);
  entry.size = request.size;
  entry.element = request.fold.element;
  entry.commutative = request.fold.commutative;
}

Room Planner::room_of(const Shape& shape, const Plan& plan) {
  const Layout layout(plan.algorithm->space(shape, plan));
  return {.lines = std::max(1u, layout.lines), .slot = layout.slot_room, .bulk = layout.bulk};
}

Needs Planner::most_needs(Team& team, Op op, size_t size) {
  Needs most;
  for (uint32_t number = 0; number <= PlanCache::class_of(size); ++number)
    for (const size_t element : {sizeof(uint32_t), sizeof(uint64_t)}) {
      const Request request = {
          .op = op, .size = std::min(size, PlanCache::largest(number)), .fold = {.element = element}};
      const Shape shape = shape_of(team, request);
      const Room room = room_of(shape, decision(team, shape).plan);
      most = larger(most, {.lines = room.lines, .bulk = room.bulk});
    }
  return most;
}

Trial& Planner::trial_of(Team& team, const Shape& shape) {
  const size_t number = PlanCache::number(shape);
  const auto found = team.trials.find(number);
  if (found != team.trials.end()) return found->second;
  const Shape typical = typical_of(shape);
  const Plan& chosen = decision(team, shape).plan;
  std::vector<Trial::Candidate> candidates = {{chosen, choice_.predict(typical, chosen)}};
  for (const Trial::Candidate& rival : rivals(choice_, typical, candidates.front()))
    candidates.push_back({composed(team, typical, rival.plan), rival.predicted_ns});
  std::string about;
  if (team.members.me() == 0)
    about = std::string(name_of(shape.op)) + " of up to " + std::to_string(typical.size) + " bytes on " +
            std::to_string(shape.members) + " ranks";
  return team.trials.try_emplace(number, std::move(about), std::move(candidates), *tuning_).first->second;
}

}  // namespace weft::coll
