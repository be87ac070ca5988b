// The split-phase barrier over all ranks, by dissemination (Hensgen, Finkel, Manber 1988): in round r a rank tells rank
// id + 2^r and hears from rank id - 2^r; after ceil(log2 n) rounds it has heard from everybody.
//
// What is told is one 64-bit word: the barrier's number and what is known of the values so far. It is stored into the
// peer's control area, straight where the peer is mapped, else by an active message. Each (parity, round) has its own
// word on its own cache line, so two directions travel at the same time and never contend. A rank can be at most one
// barrier ahead of another, so the parity of the number keeps words apart and nothing is ever cleared.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/rank.hpp"

namespace weft::coll {

class Barrier {
 public:
  explicit Barrier(core::Rank& rank);

  /// Announces this rank. WEFT_ERR_INVALID if it has announced itself already.
  Status notify(int32_t value, bool anonymous);
  /// WEFT_ERR_MISMATCH as weft/barrier.h says; WEFT_ERR_INVALID without a notify before it.
  Status wait(int32_t value, bool anonymous);
  /// As wait() if everybody has arrived; else sets arrived = false and changes nothing.
  Status try_wait(int32_t value, bool anonymous, bool& arrived);

  /// For the statistics: barriers entered.
  uint64_t count() const { return number_; }

 private:
  static constexpr uint32_t max_rounds = 32;
  struct alignas(64) Word {
    std::atomic<uint64_t> word;
  };
  struct Area {
    Word words[2][max_rounds];
  };
  static_assert(sizeof(Area) <= core::ControlArea::bytes);

  // bits 0-31 the value; 32 a value is known; 33 values differ; 34-63 the barrier's number
  struct Knowledge {
    int32_t value = 0;
    bool known = false;
    bool mismatch = false;

    uint64_t encode(uint64_t number) const;
    static Knowledge decode(uint64_t word);
    void combine(const Knowledge& other);
  };
  static constexpr unsigned number_shift = 34;

  // The rank told in a round, and its words of that round if they are mapped.
  struct Partner {
    conduit::RankId rank;
    Area* area;
  };

  static void on_word(void* self, const conduit::AmDelivery& message);
  void tell();
  bool heard();
  bool advance();
  Status finish(int32_t value, bool anonymous);

  core::Rank& rank_;
  Area& own_;
  std::vector<Partner> partners_;  // by round
  uint64_t number_ = 0;     // of the barrier under way, or of the last one
  uint32_t round_ = 0;      // next round to hear from
  bool notified_ = false;
  bool own_anonymous_ = false;
  int32_t own_value_ = 0;
  Knowledge knowledge_;
};

}  // namespace weft::coll
