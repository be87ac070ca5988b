// What the simulation says in which a program may run.
#pragma once

#include <weft/sim.h>

#include <string>

#include "fft/local_work.hpp"

namespace ft {

inline std::string simulated_machine() { return weft_simulated() != nullptr ? weft_simulated() : ""; }
inline weft::fft::LocalWork simulated_work() {
  return {.has_data = weft_sim_has_data() != 0, .took = weft_simulated() != nullptr ? weft_sim_compute : nullptr};
}

}  // namespace ft
