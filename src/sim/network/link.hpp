// What takes one message after the other: a link, an interface's way in or out, a node's memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/calendar.hpp"

namespace weft::sim {

/// Links are so fast that bytes take fractions of a nanosecond.
using Picoseconds = uint64_t;

inline Picoseconds to_picoseconds(double ns) { return static_cast<Picoseconds>(std::llround(ns * 1000)); }
/// The first whole nanosecond that is not before it.
inline Time to_time(Picoseconds when) { return (when + 999) / 1000; }

/// Time per byte, in femtoseconds.
class Pace {
 public:
  Pace() = default;
  explicit Pace(double bytes_per_second)
      : femtoseconds_(bytes_per_second > 0 ? static_cast<uint64_t>(std::llround(1e15 / bytes_per_second)) : 0) {}
  Picoseconds of(uint64_t bytes) const {
    return bytes < (uint64_t{1} << 20) ? bytes * femtoseconds_ / 1000
                                       : (bytes >> 10) * (femtoseconds_ * 1024 / 1000);  // would not fit
  }
  bool operator<(const Pace& other) const { return femtoseconds_ < other.femtoseconds_; }

 private:
  uint64_t femtoseconds_ = 0;
};

/// What links of one kind have in common.
struct LinkKind {
  LinkKind(double bytes_per_second, double contention, Picoseconds latency_, uint64_t burst_bytes_ = 0)
      : pace(bytes_per_second),
        crowded_pace(bytes_per_second * contention),
        latency(latency_),
        burst_bytes(burst_bytes_),
        burst(pace.of(burst_bytes_)) {}

  Pace pace;
  Pace crowded_pace;     // while several nodes' messages wait
  Picoseconds latency;   // from here to the next
  uint64_t burst_bytes;  // so much passes at once after a pause, as through a token bucket
  Picoseconds burst;     // the time that it would take
};

/// Who comes reserves the time at once, so waiting needs no queue. Short messages wait for short ones only; what they
/// take is taken from the long ones behind them, so no time is given twice.
class alignas(64) Link {
 public:
  struct Taken {
    Picoseconds start, end;
  };

  explicit Link(const LinkKind& kind) : kind_(&kind) {}

  /// From `at` on or when it is free.
  Taken take(Picoseconds at, uint64_t bytes, bool is_short, uint32_t from_node) {
    return take(at, bytes, is_short, from_node, 0, kind_->pace);
  }
  /// The same for `gap` longer than the bytes take, and at another pace than the link's own where nobody else waits.
  Taken take(Picoseconds at, uint64_t bytes, bool is_short, uint32_t from_node, Picoseconds gap, Pace pace) {
    Queue& own = queues_[is_short ? 1 : 0];
    const Picoseconds turn = std::max(at, own.free);
    const bool crowded = own.is_crowded(turn > at + kind_->burst, from_node);
    const Picoseconds end = turn + (crowded ? kind_->crowded_pace : pace).of(bytes);
    own.free = end + gap;
    if (is_short) queues_[0].free = std::max(queues_[0].free, turn) + (own.free - turn);
    bytes_ += bytes;
    busy_ += own.free - turn;
    const Picoseconds start = early(at, turn);
    return {start, early(start, end)};
  }

  Picoseconds free(bool is_short) const { return queues_[is_short ? 1 : 0].free; }
  const LinkKind& kind() const { return *kind_; }
  uint64_t bytes() const { return bytes_; }
  /// For so long before `until`. What was reserved for later follows without a pause.
  Picoseconds busy(Picoseconds until) const {
    const Picoseconds taken = std::max(queues_[0].free, queues_[1].free);
    return taken > until ? busy_ - std::min(busy_, taken - until) : busy_;
  }

 private:
  // By the time of a burst before `when`, but not before `at`.
  Picoseconds early(Picoseconds at, Picoseconds when) const {
    return when > at + kind_->burst ? when - kind_->burst : at;
  }

  // Those of short or of long messages that came, with what tells whether they are of several nodes.
  struct Queue {
    static constexpr uint32_t nobody = ~0u;
    static constexpr uint32_t remembered = 8;

    Picoseconds free = 0;  // until when the link is taken
    uint32_t last_from = nobody;
    uint32_t after_other = 0;  // one of so many before the next was of another node than the one before it

    bool is_crowded(bool waits, uint32_t from_node) {
      if (!waits)
        after_other = 0;
      else if (last_from != from_node)
        after_other = remembered;
      else if (after_other > 0)
        --after_other;
      last_from = from_node;
      return after_other > 0;
    }
  };

  Queue queues_[2];  // of long and of short messages
  const LinkKind* kind_;
  uint64_t bytes_ = 0;
  Picoseconds busy_ = 0;
};

}  // namespace weft::sim
