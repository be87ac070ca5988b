// A clock for who looks often whether a moment has passed.
#pragma once

#include <cstdint>
#include <ctime>

namespace weft::os {

/// The host's monotonic time at the kernel's last tick, 1 to 10 ms ago, in nanoseconds. To ask takes 3 ns,
/// where now_ns() takes 21 (AMD EPYC).
inline uint64_t coarse_now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace weft::os
