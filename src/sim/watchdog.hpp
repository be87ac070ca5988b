// Names a rank that keeps the processor: all others wait for it, and if it waits for one of them without saying so, by
// a loop over memory, for ever.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "sim/simulation.hpp"

namespace weft::sim {

class Watchdog {
 public:
  /// Warns after so many seconds of one turn, and after twice as many again and so on; 0: never.
  Watchdog(const Simulation& simulation, double seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(double seconds);

  const Simulation& simulation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace weft::sim
