#include "os/clock.hpp"

#include <ctime>

namespace weft::os {

namespace {

uint64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

uint64_t now_ns() { return read_ns(CLOCK_MONOTONIC); }

uint64_t day_ns() { return read_ns(CLOCK_REALTIME); }

void sleep_ns(uint64_t ns) {
  const timespec span = timespec_of(ns);
  nanosleep(&span, nullptr);
}

}  // namespace weft::os
