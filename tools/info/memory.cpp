#include "memory.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "boot/hosts.hpp"
#include "capi/state.hpp"
#include "conduit/automatic.hpp"
#include "conduit/smp/smp_conduit.hpp"
#ifdef WEFT_HAVE_IP
#include "conduit/ip/traffic.hpp"
#endif
#ifdef WEFT_HAVE_OFI
#include "conduit/ofi/state.hpp"
#endif

namespace {

namespace conduit = weft::conduit;

struct Part {
  std::string name;
  size_t each;   // bytes
  size_t count;  // of these
};

// The conduit between hosts, as jobs choose it.
std::string between_hosts(const weft::base::Settings& settings) {
  if (settings.conduit != "auto") return settings.conduit;
#if defined(WEFT_HAVE_OFI) || defined(WEFT_HAVE_IP)
  return conduit::choose_here(settings).conduit;
#else
  return "none";
#endif
}

// What every rank takes for every other from the start on.
std::vector<Part> parts_of(const std::string& transport, uint32_t ranks, uint32_t hosts) {
  const uint32_t here = (ranks + hosts - 1) / hosts;
  std::vector<uint32_t> host_of_rank;
  for (uint32_t rank = 0; rank < ranks; ++rank) host_of_rank.push_back(rank / here);
  const bool node = transport.starts_with("node");
  std::vector<Part> parts;
  parts.push_back({"a rank", sizeof(weft::capi::RankState) + sizeof(weft::core::Rank) + sizeof(weft::coll::Team), 1});
  parts.push_back({"which host a rank is on", weft::boot::Hosts(host_of_rank).bytes_per_rank(), ranks});
  if (transport == "smp" || node)
    parts.push_back({"queues in shared memory", conduit::smp::SmpConduit::bytes_per_rank(), node ? here : ranks});
  if (node) parts.push_back({"ranks of this host", 3 * sizeof(uint32_t), here});
  if (node) parts.push_back({"numbers on this host", sizeof(uint32_t), ranks});
#ifdef WEFT_HAVE_IP
  if (transport == "ip" || transport == "node-ip")
    parts.push_back({"IPv4 peers, each interface", conduit::ip::Traffic::bytes_per_rank, ranks});
#endif
#ifdef WEFT_HAVE_OFI
  if (transport == "ofi" || transport == "node")
    parts.push_back({"peers over libfabric", sizeof(conduit::ofi::Peer), ranks});
#endif
  return parts;
}

}  // namespace

void show_memory(const weft::base::Settings& settings, uint32_t ranks, uint32_t hosts) {
  const std::string transport = hosts > 1                    ? between_hosts(settings)
                                : settings.conduit == "auto" ? "smp"
                                                             : settings.conduit;
  std::printf("Memory of a rank of %u on %u host%s, conduit %s; segment, program and libraries apart\n", ranks, hosts,
              hosts == 1 ? "" : "s", transport.c_str());
  if (transport == "sim") {
    std::printf(
        "  at least 32 KiB, often 100 KiB, of the process that all simulated ranks share; docs/SIMULATION.md,\n"
        "  \"What it cannot do\"\n");
    return;
  }
  size_t total = 0, per_rank = 0;
  for (const Part& part : parts_of(transport, ranks, hosts)) {
    std::printf("  %-28s %9zu bytes", part.name.c_str(), part.each * part.count);
    if (part.count > 1) std::printf("  (%zu for each of %zu)", part.each, part.count);
    std::printf("\n");
    total += part.each * part.count;
    if (part.count == ranks && ranks > 1) per_rank += part.each;
  }
  std::printf("  %-28s %9zu bytes  (%zu for each of all ranks)\n", "in all, when the job starts", total, per_rank);
  std::printf("Later, for each rank\n");
  if (transport == "smp" || transport.starts_with("node")) {
    conduit::smp::Geometry geometry;
    if (conduit::smp::Geometry::choose((ranks + hosts - 1) / hosts, settings, geometry).ok())
      std::printf("  %-28s %9zu bytes\n", "of this host sent a message",
                  conduit::smp::SmpConduit::bytes_per_called(geometry));
    std::printf("  %-28s %9zu bytes\n", "that has sent one", conduit::smp::SmpConduit::bytes_per_caller());
  }
#ifdef WEFT_HAVE_IP
  if (transport == "ip" || transport == "node-ip")
    std::printf("  %-28s %9zu bytes, buffers apart\n", "that is connected", conduit::ip::Traffic::bytes_per_met());
#endif
}
