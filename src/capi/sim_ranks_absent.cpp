// What a build without Boost.Context has in place of sim_ranks.cpp.
#include "base/log.hpp"
#include "capi/sim_ranks.hpp"
#include "weft/sim.h"

namespace weft::capi {

Status start_main_simulation(uint32_t, int*, char***, weft_thread_mode_t, std::unique_ptr<boot::Boot>&) {
  base::log_error(
      "this build of Weft cannot simulate: it was made without Boost.Context (Debian: libboost-context-dev)");
  return WEFT_ERR_UNSUPPORTED;
}

void join_main_simulation() {}

void refuse_threads_of_simulated_ranks() {}

bool ends_with_simulation(RankState&) { return false; }

void forget_simulated(RankState&) {}

uint64_t time_outside_simulation() { return 0; }
bool simulates_threads() { return false; }

Status run_simulated(uint32_t, const std::function<int()>&, std::vector<int>&) { return WEFT_ERR_UNSUPPORTED; }

}  // namespace weft::capi

extern "C" {

const char* weft_simulated(void) { return nullptr; }
int weft_sim_has_data(void) { return 1; }
int weft_sim_drop_data(void*, size_t) { return 0; }
void weft_sim_restore_data(void*) {}
void weft_sim_compute(double, double) {}

}  // extern "C"
