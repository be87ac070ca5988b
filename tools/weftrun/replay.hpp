// How to repeat a simulated job that has failed: its faults come from a seed, so the same command line does.
#pragma once

#include <string>

#include "options.hpp"

namespace weftrun {

/// Whether faults are injected into the job's simulation.
bool has_simulated_faults(const Options& options);

/// The command line in one line for a shell, with the settings that the environment has: "WEFT_CHECK=1 weftrun -n 4
/// ...".
std::string replay_line(const char* const* arguments, const char* const* environment);

}  // namespace weftrun
