// How the ranks of a job find each other for conduit ip. Collective: one round of boot in which each says where it
// listens, after the job's secret was shared.
#pragma once

#include "base/settings.hpp"
#include "conduit/ip/handshake.hpp"
#include "conduit/ip/traffic.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::ip {

/// What a rank tells the others.
struct Listing {
  unsigned protocol = protocol_version;
  std::string weft;  ///< version
  size_t segment_size = 0;
  sockaddr_in place{};

  std::string encode() const;
  static bool decode(const std::string& text, Listing& listing);
};

struct Started {
  Credentials credentials;
  std::byte* segment = nullptr;
  size_t segment_size = 0;
  os::Mapping own_segment;  ///< if the environment brought none
};

/// Opens `traffic` and fills `started`, which outlives it.
Status start(const Environment& environment, const base::Settings& settings, Traffic& traffic, Started& started);

}  // namespace weft::conduit::ip
