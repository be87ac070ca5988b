// How the ranks of a job find each other over libfabric. Collective, in two rounds of boot, so that a rank that cannot
// take part says so and nobody waits for it: first what each has (version, provider, segment size), then where it is.
#pragma once

#include <string>
#include <vector>

#include "conduit/ofi/state.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::ofi {

/// What a rank says in the first round, and what it must have in common with rank 0.
struct Hello {
  unsigned wire = wire_version;
  std::string weft;    // version
  std::string fabric;  // libfabric's, major and minor
  std::string provider;
  std::string network;                 // boot::network_identity()
  std::vector<std::string> addresses;  // IP, of its interfaces
  size_t rails = 0;
  size_t segment_size = 0;

  std::string encode() const;
  static bool decode(const std::string& text, Hello& hello);
  /// What differs, as "libfabric 1.17 here, 1.18 on rank 0"; empty if nothing that matters does.
  std::string difference(const Hello& first) const;
};

/// Which ranks of different networks have one address, as bridges inside hosts do, so that each would call itself;
/// empty if none have.
std::string clash_in(const std::vector<Hello>& ranks);

/// What rank 0 says of a start that lasts for seconds because the ranks of its host outnumber the processors; else
/// empty.
std::string slow_start_notice(uint32_t ranks, uint32_t processors);

/// Fills `state` but for the messages. `own_segment` holds the segment if the environment brings none.
Status start(const Environment& environment, const base::Settings& settings, State& state, os::Mapping& own_segment);

}  // namespace weft::conduit::ofi
