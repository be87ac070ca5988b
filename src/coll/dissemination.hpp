// The protocol of the dissemination barrier, apart from how its words travel: what a rank tells, what it makes of what it
// hears, and when it is through. One 64-bit word tells a barrier's number and what is known of the values so far. Each
// (parity of the number, round) has its own word, so two barriers that overlap never share one: a rank can be at most one
// barrier ahead of another, and nothing is ever cleared.
//
// The atomics are a template parameter so that tests/coll/barrier_interleavings_test.cpp can run every interleaving.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::coll {

// bits 0-31 the value; 32 a value is known; 33 values differ; 34-63 the barrier's number
struct Knowledge {
  static constexpr unsigned number_shift = 34;
  static constexpr uint64_t number_mask = (uint64_t{1} << (64 - number_shift)) - 1;

  int32_t value = 0;
  bool known = false;
  bool mismatch = false;

  uint64_t encode(uint64_t number) const {
    return number << number_shift | (mismatch ? uint64_t{1} << 33 : 0) | (known ? uint64_t{1} << 32 : 0) |
           static_cast<uint32_t>(value);
  }
  static Knowledge decode(uint64_t word) {
    return {.value = static_cast<int32_t>(static_cast<uint32_t>(word)),
            .known = (word >> 32 & 1) != 0,
            .mismatch = (word >> 33 & 1) != 0};
  }
  void combine(const Knowledge& other) {
    mismatch = mismatch || other.mismatch || (known && other.known && value != other.value);
    if (!known && other.known) {
      known = true;
      value = other.value;
    }
  }
};

template <template <class> class Atomic>
class BasicDissemination {
 public:
  static constexpr uint32_t max_rounds = 32;
  /// Where a rank is told; on a cache line each, so that two directions travel at the same time and never contend.
  struct Area {
    struct alignas(64) Word {
      Atomic<uint64_t> word;
    };
    Word words[2][max_rounds];
  };

  /// For 2^(rounds - 1) < ranks <= 2^rounds.
  explicit BasicDissemination(uint32_t rounds) : rounds_(rounds) {}

  /// The rank arrives at its next barrier. tell(parity, round, word) carries a word to the partner of the round.
  template <class Tell>
  void arrive(int32_t value, bool anonymous, Tell tell) {
    knowledge_ = {.value = anonymous ? 0 : value, .known = !anonymous, .mismatch = false};
    ++number_;
    round_ = 0;
    if (rounds_ > 0) tell(number_ & 1, round_, knowledge_.encode(number_));
  }

  /// Goes through all rounds whose word has come; true if that was the last.
  template <class Tell>
  bool advance(const Area& own, Tell tell) {
    while (round_ < rounds_) {
      if (!heard(own)) return false;
      if (++round_ < rounds_) tell(number_ & 1, round_, knowledge_.encode(number_));
    }
    return true;
  }

  /// The end of tell(): in the partner's area.
  static void put(Area& area, uint64_t parity, uint64_t round, uint64_t word) {
    // release: what this rank, and those it heard from, did before is visible to the partner.
    area.words[parity][round].word.store(word, std::memory_order_release);
  }

  bool mismatch() const { return knowledge_.mismatch; }
  /// Of the barrier under way, or of the last one.
  uint64_t number() const { return number_; }

 private:
  // True, and combined, if the word of this round has come.
  bool heard(const Area& own) {
    // acquire: pairs with put().
    const uint64_t word = own.words[number_ & 1][round_].word.load(std::memory_order_acquire);
    if (word >> Knowledge::number_shift != (number_ & Knowledge::number_mask)) return false;
    knowledge_.combine(Knowledge::decode(word));
    return true;
  }

  uint32_t rounds_;
  uint64_t number_ = 0;
  uint32_t round_ = 0;  // next round to hear from
  Knowledge knowledge_;
};

using Dissemination = BasicDissemination<std::atomic>;

}  // namespace weft::coll
