// The split-phase barrier over all ranks, by dissemination (Hensgen, Finkel, Manber 1988): in round r a rank tells rank
// id + 2^r and hears from rank id - 2^r; after ceil(log2 n) rounds it has heard from everybody. Ranks of one host that
// share processors tell more ranks in fewer rounds.
//
// What is told is one 64-bit word (dissemination.hpp). It is stored into the peer's control area, straight where the
// peer is mapped, else by an active message.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coll/dissemination.hpp"
#include "core/deadlock.hpp"
#include "core/rank.hpp"

namespace weft::coll {

class Barrier {
 public:
  /// `deadlock`: is told of barriers, if it checks.
  Barrier(core::Rank& rank, core::Deadlock& deadlock);

  /// Announces this rank. WEFT_ERR_INVALID if it has announced itself already. If another rank comes on another
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
      if (barrier.deadlock_.checks())
        wait_.emplace(barrier.deadlock_, core::Deadlock::world, core::Deadlock::Kind::barrier, barrier.everybody_);
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
  using Area = Dissemination::Area;
  using Board = Dissemination::Board;
  static_assert(sizeof(Board) <= sizeof(Area));
  static_assert(core::ControlArea::barrier_offset + sizeof(Area) <= core::ControlArea::local_bottom_offset);

  // The rank told in a step, and its words if they are mapped.
  struct Partner {
    conduit::RankId rank;
    Area* area;
  };

  static void on_word(void* self, const conduit::AmDelivery& message);
  void tell(uint64_t parity, uint32_t step, uint64_t word);
  uint64_t told(uint64_t parity, uint32_t step) const;
  conduit::RankId teller(uint32_t step) const;
  bool advance();
  bool wait_for_others();
  bool stuck_of_kind();
  Status finish(int32_t value, bool anonymous);

  core::Rank& rank_;
  core::Deadlock& deadlock_;
  core::RankList everybody_;
  Area& own_;
  Board* board_;  // or null; with it no areas are told
  Dissemination protocol_;
  std::vector<Partner> partners_;  // by step
  bool notified_ = false;
  bool own_anonymous_ = false;
  Occasion occasion_ = Occasion::barrier;
  int32_t own_value_ = 0;
  uint64_t count_ = 0;
};

}  // namespace weft::coll
