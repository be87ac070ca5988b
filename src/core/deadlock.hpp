// WEFT_CHECK: two ranks that wait for each other for ever, because one called a barrier where the other called a
// collective, or because the two called them in another order, or on different teams.
//
// Calls are numbered per kind (barrier, collective) and team. Call number n ends only when every member of the team has
// begun its own call number n of that kind. A rank that waits begins no other call. So two ranks wait for ever if each
// is a member of the team that the other waits on, and neither has begun the call that the other waits for.
//
// A rank whose wait is not over soon tells the other members which call it waits for. A member that waits in another
// call, and has not begun the first rank's call, answers with its own. If the first rank has not begun that one either,
// both are stuck. The verdict depends on what has been begun, never on time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/spin_lock.hpp"
#include "core/call_ledger.hpp"
#include "core/rank.hpp"
#include "core/rank_list.hpp"

namespace weft::core {

class Deadlock {
 public:
  using RankId = conduit::RankId;

  /// Installs the handler; nothing else happens unless the setting asks for checks. Where several threads call, a rank
  /// that waits may still begin calls; so nothing is checked then. What has been begun stands in the ledger.
  Deadlock(Rank& rank, const CallLedger& ledger);
  bool checks() const { return checks_; }

  /// As long as this exists the rank waits for all members in the call that it began last, or in an earlier one; `of`
  /// is the function that began that.
  class Wait {
   public:
    Wait(Deadlock& deadlock, TeamId team, CallKind kind, const RankList& members);
    Wait(Deadlock& deadlock, TeamId team, CallKind kind, const RankList& members, uint64_t number, const char* of);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    /// To be called now and then while it waits, but for a wait that is over soon.
    void look();

   private:
    Deadlock& deadlock_;
    uint32_t asked_ = 0;  // so many members
  };

  /// Waits so; `call` is Wait's.
  template <class Done, class... Call>
  void wait(TeamId team, CallKind kind, const RankList& members, Done done, Call... call) {
    Wait waiting(*this, team, kind, members, call...);
    uint32_t looks = 0;
    rank_.progress().wait([&] {
      if (done()) return true;
      if (++looks % looks_between == 0) waiting.look();
      return false;
    });
  }

 private:
  static constexpr uint32_t looks_between = 256;  // most waits are over before

  static void on_call(void* self, const conduit::AmDelivery& message);
  conduit::Result tell(RankId peer, conduit::AmClass message_class) const;
  [[noreturn]] void report(RankId peer, const CallRecord& theirs) const;

  Rank& rank_;
  const CallLedger& ledger_;
  bool checks_;
  base::SpinLock lock_;
  bool waits_ = false;
  CallRecord waits_for_;               // its signature is the function's name
  const RankList* members_ = nullptr;  // of that call's team
  std::vector<RankId> answered_;       // in this wait
};

}  // namespace weft::core
