// How the ranks of a job find each other for conduit ip. Collective: one round of boot in which each says where it
// listens, after the job's secret was shared.
#pragma once

#include "base/settings.hpp"
#include "boot/hosts.hpp"
#include "conduit/ip/handshake.hpp"
#include "conduit/ip/rails.hpp"
#include "os/shared_memory.hpp"

namespace weft::conduit::ip {

struct Started {
  Credentials credentials;
  std::byte* segment = nullptr;
  size_t segment_size = 0;
  os::Mapping own_segment;  ///< if the environment brought none
};

/// Opens `rails` and fills `started`, which outlives them.
Status start(const Environment& environment, const base::Settings& settings, Rails& rails, Started& started);

}  // namespace weft::conduit::ip
