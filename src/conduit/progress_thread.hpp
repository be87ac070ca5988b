// A conduit's own thread, for WEFT_PROGRESS=thread: it takes what comes while the rank computes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace weft::conduit {

/// Takes part only while the rank does not poll by itself. Both wake when something comes; the thread gives the rank
/// some time to take it, unless the rank took nothing the last time.
class ProgressThread {
 public:
  ProgressThread() = default;
  ~ProgressThread() { stop(); }
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// `sleep(stop)` returns when something has come, the descriptor `stop` is readable, or some milliseconds are over;
  /// false if nothing came. `take()` takes what came; false if what is left waits for the rank itself.
  void start(std::function<bool(int stop)> sleep, std::function<bool()> take);
  /// Returns when the thread has ended. Nothing to do if there is none.
  void stop();
  /// The rank polls; one thread at a time.
  void rank_polls() { polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

 private:
  void run();

  std::function<bool(int stop)> sleep_;
  std::function<bool()> take_;
  std::atomic<uint64_t> polls_{0};
  std::atomic<bool> stopping_{false};
  int stop_descriptor_ = -1;
  std::thread thread_;
};

}  // namespace weft::conduit
