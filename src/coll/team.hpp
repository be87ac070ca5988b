// A team: its members, their scratch space, its barrier, and the collectives that wait for their turn on it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "coll/barrier.hpp"
#include "coll/choice.hpp"
#include "coll/groups.hpp"
#include "coll/online.hpp"
#include "coll/scratch.hpp"

namespace weft::coll {

class Call;

/// Exchanges between hosts that have their region. One is started when those under way on its team are not enough for a
/// network: more would not end earlier, and each takes memory, and time whenever a rank looks for progress. All members
/// start them in the order of the calls, so none waits for one that another has not started. Other collectives overtake
/// them.
struct ExchangesUnderWay {
  static constexpr uint64_t enough_messages = 64, enough_bytes = uint64_t{1} << 20;

  /// Of one exchange, or of several.
  struct Sends {
    uint64_t messages = 0, bytes = 0;
  };

  bool enough() const { return sends.messages >= enough_messages && sends.bytes >= enough_bytes; }
  void begins(const Sends& one) { sends.messages += one.messages, sends.bytes += one.bytes; }
  void ends(const Sends& one) { sends.messages -= one.messages, sends.bytes -= one.bytes; }

  Sends sends;              // this member's
  std::vector<Call*> held;  // to be started, in this order
};

class Team {
 public:
  Team(core::Rank& rank, rma::OneSided& rma, Scheduler& scheduler, core::RankList ranks, uint32_t me);
  ~Team();

  bool has_calls_to_start() const { return first_waiting != nullptr || !exchanges.held.empty(); }
  core::TeamId id() const { return {members.rank(0), scratch.control(0)}; }

  Members members;
  Groups groups;
  Scratch scratch;
  PlanCache plans;
  std::map<size_t, Trial> trials;  // WEFT_TUNE=online, by the plan cache's numbers

  // The conduit's own collectives, which are for the team of all ranks; null on others. All members begin them in one
  // order: calls take turns in the order in which they got their regions.
  conduit::NativeCollectives* native = nullptr;
  uint64_t native_turns = 0;  // given
  uint64_t native_turn = 0;   // whose it is

  // Calls that have not got their region yet, in the order they were made.
  Call* first_waiting = nullptr;
  Call* last_waiting = nullptr;
  uint32_t calls = 0;  // made and not ended
  ExchangesUnderWay exchanges;
  bool starting = false;                         // the engine is working on the lists
  rma::Operation over;                           // the barrier that ends a freed team
  std::vector<std::unique_ptr<Call>> all_calls;  // made once, used again
  std::vector<Call*> idle_calls;
  std::unique_ptr<Call> at_once;     // serves blocking calls that need no coroutine
  std::unique_ptr<Barrier> barrier;  // the split-phase barrier, from its first use on
};

}  // namespace weft::coll
