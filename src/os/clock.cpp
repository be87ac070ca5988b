#include "os/clock.hpp"

#include <atomic>
#include <ctime>

namespace weft::os {

namespace {

uint64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

std::atomic<VirtualClock*> virtual_clock{nullptr};

uint64_t now_by(clockid_t real) {
  VirtualClock* const clock = virtual_clock.load(std::memory_order_acquire);
  return clock == nullptr ? read_ns(real) : clock->now_ns();
}

}  // namespace

void use_clock(VirtualClock* clock) { virtual_clock.store(clock, std::memory_order_release); }

uint64_t now_ns() { return now_by(CLOCK_MONOTONIC); }

uint64_t day_ns() { return now_by(CLOCK_REALTIME); }

void sleep_ns(uint64_t ns) {
  if (VirtualClock* const clock = virtual_clock.load(std::memory_order_acquire)) return clock->sleep_ns(ns);
  const timespec span = timespec_of(ns);
  nanosleep(&span, nullptr);
}

}  // namespace weft::os
