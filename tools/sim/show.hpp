// A platform for people and for programs: its numbers with their sources, and what follows from them.
#pragma once

#include <cstdint>
#include <string>

#include "sim/network/platform.hpp"

namespace weft_sim {

/// For a job on so many nodes; 0: the whole machine.
std::string show_text(const weft::sim::Platform& platform, uint32_t nodes);
std::string show_json(const weft::sim::Platform& platform, uint32_t nodes);

/// How many nodes the machine has.
uint32_t most_nodes(const weft::sim::Platform& platform);

}  // namespace weft_sim
