// The calls that all members of a team make alike, in one order: the record of a call, the count of calls, and the
// words for calls that differ.
//
// Barriers, collectives and symmetric calls are announced here where WEFT_CHECK asks for it. Three protocols look at
// them. They stay apart, because they may do different things to a program:
//
//   core/symmetric_calls.hpp   must not synchronise: each rank tells the next one, and goes on
//   core/deadlock.hpp          asks other ranks when a wait is long
//   coll/comparison.hpp        goes in front of a collective, which synchronises anyway
//
// The barrier tells differing functions apart without WEFT_CHECK, by bits of its words (coll/dissemination.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"

namespace weft::core {

/// A team, named alike by its members: its first member's rank, and a place in that rank's memory that is the team's.
struct TeamId {
  conduit::RankId first;
  uint64_t place;
  auto operator<=>(const TeamId&) const = default;
};
/// The team of all ranks.
constexpr TeamId world_team{0, 0};

enum class CallKind : uint8_t { barrier, collective, symmetric, count };

/// One member's call. Calls of one team, kind and number belong together: they are to have the same signature.
struct CallRecord {
  TeamId team{};
  CallKind kind{};
  uint64_t number = 0;    // among the team's calls of this kind, from 1
  std::string signature;  // the function, with those of its arguments that all members give alike
};

class CallLedger {
 public:
  /// This rank makes its next call of this kind on the team: it has this number.
  uint64_t announce(TeamId team, CallKind kind);
  /// The number of the last one; 0 before the first.
  uint64_t last(TeamId team, CallKind kind) const;
  /// This rank has made this call, or one after it.
  bool announced(const CallRecord& call) const { return last(call.team, call.kind) >= call.number; }
  /// A team of this name comes into being.
  void start_team(TeamId team);

 private:
  mutable base::SpinLock lock_;
  std::map<TeamId, uint64_t[static_cast<size_t>(CallKind::count)]> last_;
};

// ---- Words for the line that ends the job ----

constexpr const char* same_calls_rule = "all ranks make the same collective calls in the same order";

struct Caller {
  Caller(std::string name, std::string call) : who(std::move(name)), signature(std::move(call)) {}
  Caller(conduit::RankId rank, std::string call) : Caller("rank " + std::to_string(rank), std::move(call)) {}
  std::string who;
  std::string signature;
};
/// "rank 0 calls weft_barrier; rank 1 calls weft_finalize"
std::string describe_calls(std::span<const Caller> callers);
std::string describe_calls(const Caller& first, const Caller& second);

}  // namespace weft::core
