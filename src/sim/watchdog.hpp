// Names a rank that keeps the processor: all others wait for it, and if it waits for one of them without saying so, by
// a loop over memory, it would do so for ever. So after a while the job ends.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "sim/simulation.hpp"

namespace weft::sim {

class Watchdog {
 public:
  /// Warns after so many seconds of one turn, and after twice as many again and so on; 0: never. After ten times as
  /// many of processor time it says why the job ends and calls `end`, on a thread of its own, which does not return.
  Watchdog(const Simulation& simulation, double seconds, std::function<void()> end);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(double seconds);

  const Simulation& simulation_;
  const std::function<void()> end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace weft::sim
