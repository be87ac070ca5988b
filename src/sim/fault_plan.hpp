// What goes wrong in a simulated job, as WEFT_SIM_FAULT says it, and the dice that decide when.
//
// Every decision is a hash of the seed, of what may go wrong, of who sends to whom what, and of the message's number
// among those. So a fault that is taken out of the plan leaves the others where they were, a smaller probability meets
// some of the same messages and no others, and a window of numbers leaves those inside it as they were: a plan under
// which a program fails can be made smaller part by part (weft-sim-shrink).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/calendar.hpp"
#include "sim/network.hpp"

namespace weft::sim {

struct FaultPlan {
  struct Slow {
    uint32_t host;
    double factor;
  };
  struct Loss {
    uint32_t host;
    Time when;  // since the job's start
    bool dies;  // else it is cut off
  };

  double delay = 0;     ///< of a message, to be late
  Time most_delay = 0;  ///< by up to so much
  double drop = 0;      ///< of a message, to be lost and sent again, each time
  double retry = 0;     ///< of an operation, to be declined
  double reorder = 0;   ///< of a message, to let the next one of its pair pass
  Time advance = 0;     ///< if any: ranks take their turns at random, and lose up to so much time at each
  std::vector<Slow> slow;
  std::vector<Loss> losses;
  uint64_t first = 0, last = ~uint64_t{0};  ///< the messages' numbers that faults may meet
  uint64_t seed = 1;

  /// Whether messages are met, or hosts lost.
  bool changes_network() const { return delay > 0 || drop > 0 || reorder > 0 || !losses.empty(); }
};

/// Reads "delay=0.1:5us,drop=0.01,retry=0.1,reorder,schedule,slow=h3:4,cut=h3@2ms,dead=h7@1ms,only=0-99,seed=7". Empty,
/// or what is wrong.
std::string parse_faults(std::string_view text, FaultPlan& plan);

/// Empty, or which of its hosts a job of so many does not have.
std::string check_hosts(const FaultPlan& plan, uint32_t hosts);

enum class Die : uint8_t { delay, lateness, drop, retry, reorder, turn, advance, behind };

/// The decision's 64 random bits.
uint64_t roll(uint64_t seed, Die die, uint64_t stream, uint64_t number);

/// The messages of one kind from one rank to another.
inline uint64_t stream_of(uint32_t from, uint32_t to, Flow flow) {
  return (uint64_t{from} << 32 | to) * 8 + static_cast<uint64_t>(flow);
}

/// Whether a decision of this probability is yes. What is yes for one probability is so for every larger one.
inline bool yes(uint64_t bits, double probability) { return static_cast<double>(bits >> 11) * 0x1p-53 < probability; }

}  // namespace weft::sim
