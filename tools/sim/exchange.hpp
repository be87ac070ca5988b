// An exchange on the bare network: what its links allow, without any library's protocol.
#pragma once

#include <cstdint>

#include "sim/network/model_network.hpp"

namespace weft_sim {

struct ExchangeResult {
  double seconds = 0;
  /// What the network's cuts, interfaces with their gaps, and processors need, each alone and without pauses; 0 if not
  /// all nodes have ranks. Latencies, contention and the links' bursts are not in it.
  double bound_seconds = 0;
  weft::sim::Statistics statistics;
};

/// Every rank sends so many bytes to every other, the next ones first, with at most 8 under way. Throws PlatformError.
ExchangeResult run_exchange(const weft::sim::Platform& platform, const weft::sim::NetworkOptions& options,
                            uint64_t bytes);

}  // namespace weft_sim
