// Sleeping in two places at once. A rank that has nothing to do sleeps in the inner conduit, where its neighbours wake
// it; a thread sleeps in the outer one meanwhile, and nudges the rank when the network has something.
//
// The thread stays in the outer conduit's doze() over many short sleeps of the rank, so arming it costs a look at one
// word. A nudge that comes just before the rank sleeps is missed; the rank then sleeps until its time is over.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "conduit/conduit.hpp"
#include "os/processor.hpp"
#include "os/thread.hpp"

namespace weft::conduit::node {

class Watcher {
 public:
  /// Wakes `self` of `inner` when doze() of `outer` returns. Both outlive this.
  Watcher(Conduit& inner, RankId self, Conduit& outer) : inner_(inner), self_(self), outer_(outer) {}
  ~Watcher() { stop(); }

  /// The rank is about to sleep in the inner conduit.
  void arm() {
    if (armed_.load(std::memory_order_acquire) != 0) return;
    if (!thread_.joinable()) thread_ = os::start_thread("sleeping on the network", [this] { run(); });
    armed_.store(1, std::memory_order_release);
    os::futex_wake_all(armed_);
  }

  void stop() {
    if (!thread_.joinable()) return;
    stopping_.store(true, std::memory_order_release);
    armed_.store(1, std::memory_order_release);
    os::futex_wake_all(armed_);
    thread_.join();
  }

 private:
  static constexpr uint64_t longest_ns = 20'000'000;  // how long stop() may have to wait
  static constexpr uint64_t forever_ns = 3'600'000'000'000;

  void run() {
    while (!stopping_.load(std::memory_order_acquire)) {
      if (armed_.load(std::memory_order_acquire) == 0) {
        os::futex_wait(armed_, 0, forever_ns);
        continue;
      }
      outer_.doze(longest_ns);
      armed_.store(0, std::memory_order_release);
      inner_.nudge(self_);
    }
  }

  Conduit& inner_;
  RankId self_;
  Conduit& outer_;
  std::thread thread_;
  std::atomic<uint32_t> armed_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace weft::conduit::node
