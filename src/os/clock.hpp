// Time.
#pragma once

#include <cstdint>
#include <ctime>

namespace weft::os {

/// What stands in for the host's clock where time is simulated.
class VirtualClock {
 public:
  virtual uint64_t now_ns() = 0;
  virtual void sleep_ns(uint64_t ns) = 0;

 protected:
  ~VirtualClock() = default;
};
/// From now on now_ns(), day_ns() and sleep_ns() ask this one, in the whole process; null: the host's clock again.
void use_clock(VirtualClock* clock);

/// Monotonic nanoseconds, comparable between the processes of one host.
uint64_t now_ns();

/// Nanoseconds since 1970, as well as the host knows. It may jump. Where time is simulated, all hosts have one clock,
/// and this is now_ns().
uint64_t day_ns();

/// A span, as system calls take it.
inline timespec timespec_of(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

/// May end early, by a signal.
void sleep_ns(uint64_t ns);

}  // namespace weft::os
