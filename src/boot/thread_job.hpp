// The job whose ranks are threads of one process: each rank gets a Boot of its own from one ThreadJob.
//
// weftrun --ranks-as=threads starts one process, tells it in the environment how many ranks to run, and watches that
// process over PMI as a job of one. docs/LAUNCHING.md lists the variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "boot/boot.hpp"

namespace weft::boot {

/// How many ranks the launcher asks of this process that are threads of it, and how many that are simulated; one of the
/// two is 0, or both where the process is one rank. On a malformed variable logs it.
Status ranks_in_process(uint32_t& threads, uint32_t& simulated);

/// Binds the calling thread to the processor that weftrun --bind chose for this thread rank; does nothing without it.
Status bind_thread_rank(uint32_t rank);

class ThreadJob {
 public:
  /// A job of `size` ranks. `process` is this process's own way in, made by connect(); the ThreadJob finalises it when
  /// all ranks have finalised, and ends the process through it on abort(). Null if no launcher watches.
  ThreadJob(uint32_t size, std::unique_ptr<Boot> process);
  ~ThreadJob();
  ThreadJob(const ThreadJob&) = delete;
  ThreadJob& operator=(const ThreadJob&) = delete;

  /// The Boot of one rank, called once for each, from any thread. May outlive the ThreadJob.
  std::unique_ptr<Boot> boot(uint32_t rank);
  /// Boot::abort() of a rank that has none any more.
  [[noreturn]] void abort(int exit_code, std::string_view reason);

 private:
  class Rank;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace weft::boot
