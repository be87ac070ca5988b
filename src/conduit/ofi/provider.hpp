// Which of libfabric's providers a job uses, and on which interfaces.
//
// Provider: the one of WEFT_OFI_PROVIDER, else the first of `preference` that is there and fits: networks with hardware
// of their own first, then TCP, then UDP. Of the two for TCP, net does without a layer and two system calls per
// message, but its completion queue cannot wake anybody (libfabric 1.17: fi_trywait leaves the descriptor readable), so
// it is for jobs that do not sleep on descriptors. Every rank chooses for itself; start.cpp checks that all chose the
// same. Interface: those of WEFT_NET_INTERFACE, one rail each; else loopback if all ranks share a host, else the
// provider's first that is not loopback.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "conduit/ofi/library.hpp"

namespace weft::conduit::ofi {

inline constexpr const char* preference[] = {"cxi",           "opx", "psm3",        "efa",
                                             "verbs;ofi_rxm", "net", "tcp;ofi_rxm", "udp;ofi_rxd"};

/// Whether ranks can sleep until a provider has something for them.
inline bool can_wake(const std::string& provider) { return provider != "net"; }

/// WEFT_ORDER.
enum class Order : uint8_t { strict, standard, relaxed };

struct Choice {
  std::string provider;
  Order order = Order::standard;
  std::vector<Info> rails;  // one endpoint's description per interface
};

/// Whether a rank sleeps until the network has something. One that is alone on its host, with no thread of Weft's
/// beside it, looks itself.
inline bool sleeps(const base::Settings& settings, bool alone) {
  if (settings.net_wait != "auto") return settings.net_wait == "1";
  return !alone || settings.progress == "thread";
}

/// What the choice depends on, the same on all ranks.
struct Job {
  bool one_host;
  bool sleeps;  // some rank sleeps until the network has something for it
};

/// Logs what is wrong with which setting, and what there is instead.
Status choose_provider(const Library& library, const base::Settings& settings, Job job, Choice& choice);

/// Of the providers for networks with hardware of their own the first that is here; empty if there is none. Nothing is
/// logged.
std::string hardware_provider();

/// Whether whoever reaches a rank's port can speak to the provider: libfabric's for IP prove nothing to each other.
bool is_open_to_strangers(const std::string& provider);

/// Whether the network's links hold messages back where many meet, by flow control between them, and drop none.
bool is_lossless(const std::string& provider);

/// For a job that does not use the network: warns if no such provider is known, as a job that does would refuse it.
void warn_if_unknown(const std::string& provider);

/// Its interface's address where that is one of IP; else empty.
std::string ip_address_of(const fi_info& info);

/// "eth0 (192.0.2.2)"
std::string interface_of(const fi_info& info);

/// Adds lines for weft-info about the provider that jobs across hosts would use here; false, and why, if there is none.
bool describe_provider(const base::Settings& settings, std::string& text);

}  // namespace weft::conduit::ofi
