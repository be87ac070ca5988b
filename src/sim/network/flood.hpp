// The two measurements that describe a network, made on a model: messages one by one, and as fast as they go.
#pragma once

#include <cstdint>

#include "sim/network/model_network.hpp"
#include "sim/network/platform.hpp"

namespace weft::sim {

/// Time per message, in ns, of a rank that sends messages of this size to a rank of the next node as fast as its
/// processor and the network let it. So that long ones do not end in the waiting room of the interface alone, at most
/// `in_flight` have not arrived.
double flood_ns(const Platform& platform, uint64_t bytes, uint32_t in_flight = 64);

/// What all of so many ranks of a node send to as many of the next one. `is_fetched`: these ask for it, by gets.
struct NodeFlood {
  uint32_t ranks = 1;
  uint64_t bytes = 8;
  Ordering ordering = Ordering::usual;
  bool is_fetched = false;
};
/// Time per message, in ns, of the node.
double node_flood_ns(const Platform& platform, const NodeFlood& flood);

/// The time until a message of this size to a rank of the next node has been acknowledged: overhead, message, overhead
/// of the receiver, acknowledgement, and the overhead of taking that in.
double acknowledged_ns(const Platform& platform, uint64_t bytes);

}  // namespace weft::sim
