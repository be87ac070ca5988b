// Ranks that are simulated: fibers of one thread of this process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "boot/boot.hpp"
#include "weft/job.h"

namespace weft::capi {

struct RankState;

/// weftrun --sim: the caller, in main's first weft_init(), becomes rank 0; `ranks` - 1 more fibers start at main
/// themselves. Gives rank 0's Boot.
Status start_main_simulation(uint32_t ranks, int* argc, char*** argv, weft_thread_mode_t mode,
                             std::unique_ptr<boot::Boot>& boot);

/// In rank 0's weft_finalize(): lets the other ranks go on until they have returned from main, and says what has been
/// simulated. If one returned non-zero and rank 0 returns 0, the process ends with that code. Does nothing if
/// start_main_simulation() was not used.
void join_main_simulation();

/// Where ranks are simulated, but none is now: the virtual time before weft_init() and after weft_finalize(), which
/// stands still. Else 0.
uint64_t time_outside_simulation();

/// Ends the process if the calling thread is none that runs simulated ranks, and there are some.
void refuse_threads_of_simulated_ranks();

/// If the rank is simulated: from now on a signal that ends the process has the simulation tell where the rank is and
/// write its statistics and trace, as far as settings ask for any of that.
bool ends_with_simulation(RankState& rank);
/// The rank ends.
void forget_simulated(RankState& rank);

/// Whether weft_run_threads() is to simulate its ranks: the environment names conduit sim.
bool simulates_threads();
/// Runs `body` as each rank of a simulated job, and gives what the ranks return.
Status run_simulated(uint32_t ranks, const std::function<int()>& body, std::vector<int>& codes);

}  // namespace weft::capi
