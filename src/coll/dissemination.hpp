// The protocol of the dissemination barrier, apart from how its words travel: what a rank tells, what it makes of what
// it hears, and when it is through. One 64-bit word tells a barrier's number and what is known of the values so far.
// Each (parity of the number, step) has its own word, so two barriers that overlap never share one: a rank can be at
// most one barrier ahead of another, and nothing is ever cleared.
//
// With radix k, round r tells the ranks at distances k^r, 2 k^r, ..., (k - 1) k^r, as far as they are less than the
// number of ranks; each of these words is a step. After round r a rank has heard from all at distances below k^(r + 1).
// Radix 2 sends the fewest words. Where ranks share processors a round costs a turn of every rank, so the fewest rounds
// count: with one round, and memory that all share, a rank tells all others by one word on a board.
//
// The atomics are a template parameter so that tests/coll/barrier_interleavings_test.cpp can run every interleaving.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace weft::coll {

/// Which function a rank is in; a barrier in which two ranks differ would be no barrier. From `kind_1` on those of a
/// language's runtime (weft/detail/language.h).
enum class Occasion : uint8_t { barrier, finalize, register_handlers, kind_1 };

constexpr Occasion occasion_of_kind(unsigned kind) {
  return static_cast<Occasion>(static_cast<unsigned>(Occasion::kind_1) + kind - 1);
}

// bits 0-31 the value; 32 a value is known; 33 values differ; 34-36 the occasion; 37-63 the barrier's number
struct Knowledge {
  static constexpr unsigned occasion_shift = 34;
  static constexpr unsigned number_shift = 37;
  static constexpr uint64_t number_mask = (uint64_t{1} << (64 - number_shift)) - 1;

  int32_t value = 0;
  bool known = false;
  bool mismatch = false;
  Occasion occasion = Occasion::barrier;

  uint64_t encode(uint64_t number) const {
    return number << number_shift | uint64_t{static_cast<uint8_t>(occasion)} << occasion_shift |
           (mismatch ? uint64_t{1} << 33 : 0) | (known ? uint64_t{1} << 32 : 0) | static_cast<uint32_t>(value);
  }
  static Knowledge decode(uint64_t word) {
    return {.value = static_cast<int32_t>(static_cast<uint32_t>(word)),
            .known = (word >> 32 & 1) != 0,
            .mismatch = (word >> 33 & 1) != 0,
            .occasion = static_cast<Occasion>(word >> occasion_shift & 7)};
  }
  void combine(const Knowledge& other) {
    mismatch = mismatch || other.mismatch || (known && other.known && value != other.value);
    if (!known && other.known) {
      known = true;
      value = other.value;
    }
  }
};

/// Who is told when.
class Schedule {
 public:
  static constexpr uint32_t most_steps = 32;

  Schedule(uint32_t ranks, uint32_t radix) {
    for (uint64_t distance = 1; distance < ranks; distance *= radix)
      for (uint64_t times = 1; times < radix && times * distance < ranks; ++times)
        steps_.push_back({.distance = times * distance, .starts_round = times == 1});
  }
  /// For ranks that have processors of their own, or not.
  static Schedule suited(uint32_t ranks, bool share_processors) {
    return {ranks, share_processors ? widest_radix(ranks) : 2};
  }
  /// The radix with the fewest rounds whose steps are at most most_steps.
  static uint32_t widest_radix(uint32_t ranks) {
    uint32_t rounds = 1;
    while (reach(most_steps / rounds + 1, rounds) < ranks) ++rounds;
    uint32_t radix = 2;
    while (reach(radix, rounds) < ranks) ++radix;
    return radix;
  }

  uint32_t steps() const { return static_cast<uint32_t>(steps_.size()); }
  uint64_t distance(uint32_t step) const { return steps_[step].distance; }
  bool starts_round(uint32_t step) const { return steps_[step].starts_round; }

 private:
  static uint64_t reach(uint32_t radix, uint32_t rounds) {
    uint64_t ranks = 1;
    for (uint32_t i = 0; i < rounds; ++i) ranks *= radix;
    return ranks;
  }

  struct Step {
    uint64_t distance;
    bool starts_round;
  };
  std::vector<Step> steps_;
};

template <template <class> class Atomic>
class BasicDissemination {
 public:
  /// Where a rank is told; on a cache line each, so that two directions travel at the same time and never contend.
  struct Area {
    struct alignas(64) Word {
      Atomic<uint64_t> word;
    };
    Word words[2][Schedule::most_steps];
  };

  /// Where a rank tells all others at once, by number, if they share memory and one round is all: eight of them share a
  /// cache line, so a look takes few.
  struct Board {
    static constexpr uint32_t most_ranks = 256;
    alignas(64) Atomic<uint64_t> words[2][most_ranks];
  };

  explicit BasicDissemination(const Schedule& schedule) : schedule_(schedule) {}

  /// The rank arrives at its next barrier. tell(parity, step, word) carries a word to the rank at the step's distance.
  template <class Tell>
  void arrive(int32_t value, bool anonymous, Tell tell, Occasion occasion = Occasion::barrier) {
    knowledge_ = {.value = anonymous ? 0 : value, .known = !anonymous, .mismatch = false, .occasion = occasion};
    ++number_;
    step_ = 0;
    awaited_ = knowledge_.encode(number_) >> Knowledge::occasion_shift;
    tell_round(tell);
  }

  /// Goes through all steps whose word has come; true if that was the last. load(parity, step) loads the word that
  /// tell() of another rank put there for this one.
  template <class Load, class Tell>
  bool advance(Load load, Tell tell) {
    while (step_ < schedule_.steps()) {
      if (!heard(load)) return false;
      ++step_;
      if (step_ < schedule_.steps() && schedule_.starts_round(step_)) tell_round(tell);
    }
    return true;
  }

  /// True if advance() will not get on: the rank that tells this one in `step` came to this barrier on another
  /// occasion. Of any ranks that differ, one tells another, so somebody notices.
  template <class Load>
  bool stuck(Load load, uint32_t& step, Occasion& theirs) const {
    if (step_ == schedule_.steps()) return false;
    const uint64_t word = load(number_ & 1, step_);
    step = step_;
    theirs = Knowledge::decode(word).occasion;
    return word >> Knowledge::number_shift == (number_ & Knowledge::number_mask) &&
           word >> Knowledge::occasion_shift != awaited_;
  }

  /// Where a word lies in an area.
  static constexpr uint64_t offset_of(uint64_t parity, uint64_t step) {
    return (parity * Schedule::most_steps + step) * sizeof(typename Area::Word);
  }
  /// The end of tell(): in the other rank's area.
  static void put(Area& area, uint64_t parity, uint64_t step, uint64_t word) {
    // release: what this rank, and those it heard from, did before is visible to the other.
    area.words[parity][step].word.store(word, std::memory_order_release);
  }
  static uint64_t get(const Area& own, uint64_t parity, uint64_t step) {
    return own.words[parity][step].word.load(std::memory_order_acquire);  // pairs with put()
  }

  /// The same on a board: of one round, where a rank tells all others by one word.
  static void put(Board& board, uint64_t parity, uint64_t rank, uint64_t word) {
    board.words[parity][rank].store(word, std::memory_order_release);
  }
  static uint64_t get(const Board& board, uint64_t parity, uint64_t rank) {
    return board.words[parity][rank].load(std::memory_order_acquire);
  }

  const Schedule& schedule() const { return schedule_; }
  bool mismatch() const { return knowledge_.mismatch; }
  /// Of the barrier under way, or of the last one.
  uint64_t number() const { return number_; }

 private:
  // The words of the round that begins with step_.
  template <class Tell>
  void tell_round(Tell& tell) {
    const uint64_t word = knowledge_.encode(number_);
    for (uint32_t step = step_; step < schedule_.steps() && (step == step_ || !schedule_.starts_round(step)); ++step)
      tell(number_ & 1, step, word);
  }

  // True, and combined, if the word of this step has come.
  template <class Load>
  bool heard(Load& load) {
    const uint64_t word = load(number_ & 1, step_);
    if (word >> Knowledge::occasion_shift != awaited_) return false;
    knowledge_.combine(Knowledge::decode(word));
    return true;
  }

  Schedule schedule_;
  uint64_t number_ = 0;
  uint32_t step_ = 0;     // next to hear
  uint64_t awaited_ = 0;  // number and occasion of the words to hear
  Knowledge knowledge_;
};

using Dissemination = BasicDissemination<std::atomic>;

}  // namespace weft::coll
