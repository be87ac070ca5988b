// WEFT_CHECK: what the engine tells of its teams and calls. It is the engine's only hook for checks of what all members
// call; the engine knows none of them.
#pragma once

#include <unordered_map>

#include "coll/call.hpp"
#include "core/call_checks.hpp"

namespace weft::coll {

class CollectiveChecks {
 public:
  CollectiveChecks(Engine& engine, core::CallChecks& checks) : engine_(engine), checks_(checks) {}

  void team_made(const Team& team) { checks_.ledger.start_team(team.id()); }
  /// The call is about to be queued. A comparison (coll/comparison.hpp) is queued in front of it.
  void begins(Call& call);
  /// The call that began last on its team goes on while the program does something else; `user` counts it.
  void goes_on(const Team& team, const rma::Operation& user);
  void ended(const rma::Operation* user) { waited_by_handle_.erase(user); }

  /// Waits for the call that began last on the team.
  void wait(const Team& team, const rma::Operation& operation);
  /// Waits for an operation, which may be one of goes_on()'s.
  void wait(const rma::Operation& operation);
  /// Waits until teams that were freed are gone: a member that does not free its own is told of.
  void wait_for_freed_teams();

 private:
  struct Awaited {
    const Team* team = nullptr;
    uint64_t number = 0;
  };

  Engine& engine_;
  core::CallChecks& checks_;
  std::unordered_map<const rma::Operation*, Awaited> waited_by_handle_;
};

}  // namespace weft::coll
