// The helper thread of a UPC thread's asynchronous file operations. It makes system calls and copies memory, and never
// calls Weft. In a simulated job there is none: what another thread does takes real time, which a simulation does not
// see, so a transfer is done as soon as it is submitted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "upcrt/io_transfer.hpp"

namespace weft::upcrt::io {

/// One transfer for the helper. Whoever submits it waits for it before it is destroyed.
struct Job {
  Transfer transfer;
  Buffer staging;
  Outcome outcome;  // valid when done
  bool done = false;
};

class Worker {
 public:
  /// Throws std::system_error if there can be no further thread.
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void submit(Job& job);
  bool is_done(const Job& job);
  /// True if the job is done within the time.
  bool wait_for(const Job& job, std::chrono::microseconds time);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wanted_;  // the queue is not empty, or it is over
  std::condition_variable done_;
  std::deque<Job*> queue_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace weft::upcrt::io
