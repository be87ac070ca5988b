// The job's secret: 128 random bits that rank 0 draws and all ranks learn through boot, and what is made from them.
//
// Whoever knows the secret belongs to the job. Launchers other than weftrun carry it between hosts unencrypted
// (Boot::is_private), else it never crosses the network that it protects: each ordered pair of ranks has a token, a
// keyed hash of both ranks, and messages carry that. A process outside the job cannot make one up. Somebody who reads
// the traffic of conduit ofi can: networks that others listen on need encryption (docs/NETWORKS.md).
#pragma once

#include <array>
#include <cstdint>

#include "boot/boot.hpp"

namespace weft::boot {

class Secret {
 public:
  /// Collective, with one fence. All ranks get the secret that rank 0 drew.
  static Status share(Boot& boot, Secret& secret);
  /// For tests: a secret of one's own.
  static Secret of(uint64_t low, uint64_t high) { return Secret(low, high); }

  Secret() = default;

  /// The secret itself, to make keys from.
  std::array<uint64_t, 2> words() const { return {low_, high_}; }
  /// The hash of two numbers under the secret (SipHash-2-4 of their 16 bytes).
  uint64_t token(uint64_t first, uint64_t second) const;

 private:
  Secret(uint64_t low, uint64_t high) : low_(low), high_(high) {}

  uint64_t low_ = 0, high_ = 0;
};

/// Bits from the system's random source, fit for keys.
Status random_bits(uint64_t& bits);

}  // namespace weft::boot
