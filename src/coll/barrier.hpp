// The split-phase barrier of a team, or of all ranks, by dissemination (Hensgen, Finkel, Manber 1988): in round r
// member i tells member i + 2^r and hears from member i - 2^r; after ceil(log2 n) rounds it has heard from everybody.
// Ranks of one host that share processors tell more members in fewer rounds.
//
// What is told is one 64-bit word (dissemination.hpp). It is stored straight into the other member's area where that is
// mapped. Where the areas lie, and what carries a word to one that is not mapped, is a parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "coll/dissemination.hpp"
#include "core/call_checks.hpp"
#include "core/rank.hpp"

namespace weft::coll {

class Barrier {
 public:
  using Area = Dissemination::Area;
  using Board = Dissemination::Board;

  /// Whose barrier this is, and how its words travel.
  struct Wiring {
    core::TeamId team;
    core::RankList members;
    uint32_t me;  // this rank's number among them
    Schedule schedule;
    Area* own;  // where this member is told
    /// The member's area; null if it is not mapped.
    std::function<Area*(uint32_t member)> area;
    /// Carries a word to a member whose area is not mapped; returns when the word is on its way.
    std::function<void(uint32_t member, uint64_t parity, uint32_t step, uint64_t word)> send;
    Board* board = nullptr;  // if not null, all members' words go there, and no areas are used
  };
  /// For all ranks: in the control area at the start of each segment, by active messages where that is not mapped.
  /// Installs their handler.
  static Wiring all_ranks(core::Rank& rank);

  /// `checks`: are told of barriers, if they are on.
  Barrier(core::Rank& rank, core::CallChecks& checks, Wiring wiring);

  /// Announces this member. WEFT_ERR_INVALID if it has announced itself already. If another rank comes on another
  /// occasion, a rank that waits ends the job with a line that says so, or leaves that to the language's runtime.
  Status notify(int32_t value, bool anonymous, Occasion occasion = Occasion::barrier);
  /// WEFT_ERR_MISMATCH as weft/barrier.h says; WEFT_ERR_INVALID without a notify before it; WEFT_RETRY at a barrier of
  /// a language's runtime if another rank comes on another occasion: the barrier is not over, and never will be.
  Status wait(int32_t value, bool anonymous);
  /// As wait() if everybody has arrived; else sets arrived = false and changes nothing.
  Status try_wait(int32_t value, bool anonymous, bool& arrived);

  /// As long as this exists the rank waits for the others to notify, as Deadlock::Wait.
  class Waiting {
   public:
    explicit Waiting(Barrier& barrier) {
      if (barrier.checks_.deadlock.checks())
        wait_.emplace(barrier.checks_.deadlock, barrier.team_, core::CallKind::barrier, barrier.members_);
    }
    void look() {
      if (wait_) wait_->look();
    }

   private:
    std::optional<core::Deadlock::Wait> wait_;
  };

  /// For the statistics: barriers entered that programs know of.
  uint64_t count() const { return count_; }

 private:
  static_assert(sizeof(Board) <= sizeof(Area));
  static_assert(core::ControlArea::barrier_offset + sizeof(Area) <= core::ControlArea::local_bottom_offset);

  // The member told in a step, its rank, and its area if that is mapped.
  struct Partner {
    uint32_t member;
    conduit::RankId rank;
    Area* area;
  };

  static void on_word(void* area, const conduit::AmDelivery& message);
  void tell(uint64_t parity, uint32_t step, uint64_t word);
  uint64_t load(uint64_t parity, uint32_t step) const;
  uint32_t teller(uint32_t step) const;
  bool advance();
  bool wait_for_others();
  bool stuck_of_kind();
  Status finish(int32_t value, bool anonymous);

  core::Rank& rank_;
  core::CallChecks& checks_;
  const core::TeamId team_;
  const core::RankList members_;
  const uint32_t me_;
  Area& own_;
  Board* const board_;
  Dissemination protocol_;
  std::vector<Partner> partners_;  // by step
  const std::function<void(uint32_t, uint64_t, uint32_t, uint64_t)> send_;
  bool notified_ = false;
  bool own_anonymous_ = false;
  Occasion occasion_ = Occasion::barrier;
  int32_t own_value_ = 0;
  uint64_t count_ = 0;
};

}  // namespace weft::coll
