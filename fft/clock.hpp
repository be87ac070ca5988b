// The clock of measurements: the machine's, unless the program has another, as one in virtual time.
#pragma once

#include <atomic>
#include <chrono>

namespace weft::fft {

using Clock = double (*)();

inline double machine_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace detail {
inline std::atomic<Clock> clock{machine_seconds};
}

/// Seconds since some moment, by the clock of the process.
inline double clock_seconds() { return detail::clock.load(std::memory_order_relaxed)(); }
/// Before the first measurement; ranks that are threads all set the same.
inline void set_clock(Clock clock) { detail::clock.store(clock, std::memory_order_relaxed); }

}  // namespace weft::fft
