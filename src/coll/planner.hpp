// The plan of a team's next call and the room it takes: by the choice, once per size class, or by a trial of
// WEFT_TUNE=online.
#pragma once

#include <memory>

#include "coll/choice.hpp"
#include "coll/online.hpp"
#include "coll/team.hpp"

namespace weft::coll {

class Planner {
 public:
  explicit Planner(core::Rank& rank);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  static Shape shape_of(const Team& team, const Request& request);
  /// The plan of the shape's size class, made at the first call, and why.
  const Decision& decision(Team& team, const Shape& shape);
  /// From now on the plan for shapes of this size's class.
  void set_plan(Team& team, const Shape& shape, const Plan& plan);
  void choose_anew(Team& team, const Shape& shape);
  /// The plan of the request's size class and the room that this very request takes, kept until another size of the
  /// class comes.
  const PlanCache::Entry& fitted_entry(Team& team, const Request& request) {
    const auto fits = [&](const PlanCache::Entry& entry) {
      return entry.size == request.size && entry.element == request.fold.element &&
             entry.commutative == request.fold.commutative;
    };
    PlanCache::Entry*& recent = team.plans.recent(request.op);
    if (recent != nullptr && fits(*recent)) return *recent;
    recent = &team.plans.entry(request.op, request.fold.commutative, request.size);
    if (!fits(*recent)) fit(team, request, *recent);
    return *recent;
  }
  static Room room_of(const Shape& shape, const Plan& plan);
  /// The most that calls of this operation need, with data of up to `size` bytes.
  Needs most_needs(Team& team, Op op, size_t size);

  /// WEFT_TUNE=online.
  bool tunes() const { return tuning_ != nullptr; }
  /// The trial of the shape's size class on this team. Only if tunes().
  Trial& trial_of(Team& team, const Shape& shape);

  Choice& choice() { return choice_; }
  const Choice& choice() const { return choice_; }

 private:
  void fit(Team& team, const Request& request, PlanCache::Entry& entry);
  Plan composed(Team& team, const Shape& shape, Plan plan);

  Choice choice_;
  std::unique_ptr<TuningBudget> tuning_;
};

}  // namespace weft::coll
