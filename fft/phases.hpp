// Where the time goes, in the classes that the papers plot.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "fft/clock.hpp"

namespace weft::fft {

enum class Phase : std::size_t {
  local_fft,      ///< 1-D transforms
  movement,       ///< copies between local arrays: pack, unpack, gather a plane
  communication,  ///< inside calls that start messages
  completion,     ///< waiting for messages: for sources to be reused, for targets to be complete
  barrier,        ///< waiting for other ranks to arrive
  other           ///< what the caller does: evolve, checksum, set-up
};
constexpr std::size_t phase_count = 6;
constexpr std::array<std::string_view, phase_count> phase_names{"local_fft",  "movement", "communication",
                                                                "completion", "barrier",  "other"};

/// A stopwatch with one reading per boundary: lap(p) gives the time since the previous lap to phase p, so the
/// phases always add up to the whole.
class PhaseClock {
 public:
  using Seconds = std::array<double, phase_count>;

  void restart() {
    seconds_ = {};
    last_ = clock_seconds();
  }
  void lap(Phase phase) {
    const double time = clock_seconds();
    seconds_[static_cast<std::size_t>(phase)] += time - last_;
    last_ = time;
  }
  const Seconds& seconds() const { return seconds_; }

 private:
  Seconds seconds_{};
  double last_ = clock_seconds();
};

}  // namespace weft::fft
