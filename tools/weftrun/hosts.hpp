// Which hosts a job runs on, and which ranks on which host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weftrun {

struct Host {
  std::string name;
  uint32_t slots = 0;  // ranks it may take; 0: not said
};

/// Reads "h1,h2:4". A host that is named several times has the sum of its slots, 1 for each time without. False, with
/// what is wrong in `error`, if it is malformed.
bool parse_hosts(std::string_view text, std::vector<Host>& hosts, std::string& error);

/// Reads a file with a host per line: NAME, NAME:SLOTS or NAME slots=SLOTS; '#' begins a comment. Repeated names add
/// up, too.
bool parse_hostfile(const std::string& path, std::vector<Host>& hosts, std::string& error);

/// How many ranks each host gets, in blocks of consecutive ranks. Without slots they are spread evenly; with slots (1
/// for hosts without) each host is filled before the next. Hosts that get none are left out of `hosts`.
bool place_ranks(uint32_t ranks, std::vector<Host>& hosts, std::vector<uint32_t>& counts, std::string& error);

}  // namespace weftrun
