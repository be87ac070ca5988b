#include "coll/collective_checks.hpp"

#include <algorithm>

#include "coll/comparison.hpp"
#include "coll/engine.hpp"

namespace weft::coll {

using core::CallKind;

void CollectiveChecks::begins(Call& call) {
  checks_.ledger.announce(call.team().id(), CallKind::collective);
  Call& comparison = engine_.make_call_before(call, Comparison::check);
  Comparison::prepare(comparison, call);
  engine_.enqueue(comparison);
}

void CollectiveChecks::goes_on(const Team& team, const rma::Operation& user) {
  waited_by_handle_[&user] = {&team, checks_.ledger.last(team.id(), CallKind::collective)};
}

void CollectiveChecks::wait(const Team& team, const rma::Operation& operation) {
  if (!checks_.deadlock.checks()) return engine_.rma().wait_remote(operation);
  checks_.deadlock.wait(team.id(), CallKind::collective, team.members.ranks(), [&] { return operation.remote_done(); });
}

void CollectiveChecks::wait(const rma::Operation& operation) {
  Awaited awaited;
  if (checks_.deadlock.checks()) {
    const auto guarded = engine_.guard();
    const auto found = waited_by_handle_.find(&operation);
    if (found != waited_by_handle_.end()) awaited = found->second;
  }
  if (awaited.team == nullptr) return engine_.rma().wait_remote(operation);
  checks_.deadlock.wait(
      awaited.team->id(), CallKind::collective, awaited.team->members.ranks(), [&] { return operation.remote_done(); },
      awaited.number, operation.call);
}

void CollectiveChecks::wait_for_freed_teams() {
  if (!checks_.deadlock.checks()) return;
  for (;;) {
    const Team* team = nullptr;
    core::TeamId id{};
    core::RankList ranks;
    {
      const auto guarded = engine_.guard();
      if (engine_.freed_.empty()) return;
      team = engine_.freed_.front().get();
      id = team->id();
      ranks = team->members.ranks();
    }
    const auto is_gone = [&] {
      const auto guarded = engine_.guard();
      return std::ranges::none_of(engine_.freed_, [&](const auto& freed) { return freed.get() == team; });
    };
    checks_.deadlock.wait(id, CallKind::collective, ranks, is_gone, uint64_t{0}, "weft_team_free");
  }
}

}  // namespace weft::coll
