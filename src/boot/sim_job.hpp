// The job whose ranks are simulated: fibers of one thread, on simulated hosts. Each rank gets a Boot of its own from
// one SimJob. Starting costs no virtual time but that ranks wait for each other.
//
// weftrun --sim starts one process, tells it in the environment how many ranks to simulate, and watches that process
// over PMI as a job of one.
#pragma once

#include <cstdint>
#include <memory>

#include "boot/boot.hpp"
#include "sim/simulation.hpp"

namespace weft::boot {

class SimJob {
 public:
  /// `process` is as for a ThreadJob. The simulation outlives all ranks.
  SimJob(sim::Simulation& simulation, std::unique_ptr<Boot> process);
  ~SimJob();
  SimJob(const SimJob&) = delete;
  SimJob& operator=(const SimJob&) = delete;

  /// The Boot of one rank, called once for each. May outlive the SimJob.
  std::unique_ptr<Boot> boot(uint32_t rank);
  /// Tells the launcher that what the ranks report at a signal is being written.
  void reports();
  /// Ends the process with this exit code; `reason` has been logged.
  [[noreturn]] void abort(int exit_code, std::string_view reason);

 private:
  class Rank;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace weft::boot
