// Which rank lies on which node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/network/topology.hpp"

namespace weft::sim {

struct Placement {
  std::vector<uint32_t> place_of;  // rank -> node of the topology
  std::vector<uint32_t> host_of;   // rank -> number of the node among those that have ranks, by first rank
  std::vector<uint32_t> place_of_host;
  std::vector<uint32_t> ranks_on;  // a host
  uint32_t most_on_a_node = 0;
};

/// How many nodes a job needs.
uint32_t nodes_for(uint32_t ranks, uint32_t ranks_per_node);

/// `map` is "txyz": a node is filled before the next (nodes in the order of their numbers; of a torus, x runs fastest);
/// "xyzt": the nodes get a rank each before any gets a second; or else the path of a file with one line per rank, in
/// order: the coordinates of its node and, if wanted, a number for the core. Lines that are empty or begin with # do
/// not count. Throws PlatformError.
Placement place_ranks(const Topology& topology, uint32_t ranks, uint32_t ranks_per_node, const std::string& map);

}  // namespace weft::sim
