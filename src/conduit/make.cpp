#include <algorithm>

#include "base/log.hpp"
#include "base/parse.hpp"
#include "boot/hosts.hpp"
#include "conduit/automatic.hpp"
#include "conduit/conduit.hpp"
#include "conduit/hook/fault.hpp"
#include "conduit/hook/recording.hpp"
#include "conduit/mpi/mpi_conduit.hpp"
#include "conduit/node/node_conduit.hpp"
#ifdef WEFT_HAVE_IP
#include "conduit/ip/ip_conduit.hpp"
#endif
#ifdef WEFT_HAVE_OFI
#include "conduit/ofi/ofi_conduit.hpp"
#include "conduit/ofi/provider.hpp"
#endif
#include "conduit/segment_size.hpp"
#include "conduit/self/self_conduit.hpp"
#ifdef WEFT_HAVE_SIM
#include "conduit/sim/sim_conduit.hpp"
#include "sim/simulation.hpp"
#endif
#include "conduit/smp/host_memory.hpp"
#include "conduit/smp/smp_conduit.hpp"

namespace weft::conduit {

namespace {

#ifdef WEFT_HAVE_OFI
Status make_node(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  return node::make(environment, settings, smp::SmpConduit::make, ofi::make, conduit);
}
#endif
#ifdef WEFT_HAVE_IP
Status make_node_ip(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  return node::make(environment, settings, smp::SmpConduit::make, ip::make, conduit);
}
#endif

}  // namespace

constexpr Registration transports[] = {
    {.name = "smp", .description = "ranks of one host share memory", .make = smp::SmpConduit::make, .one_host = true},
#ifdef WEFT_HAVE_OFI
    {.name = "ofi", .description = "ranks anywhere, over libfabric", .make = ofi::make},
    {.name = "node", .description = "smp within hosts, ofi between them", .make = make_node},
#endif
#ifdef WEFT_HAVE_IP
    {.name = "ip", .description = "ranks anywhere, over TCP, authenticated", .make = ip::make, .encrypts = true},
    {.name = "node-ip", .description = "smp within hosts, ip between them", .make = make_node_ip, .encrypts = true},
#endif
    {.name = "mpi", .description = "ranks anywhere, over an MPI library", .make = mpi::make},
    {.name = "self", .description = "a job of one rank", .make = self::make, .one_host = true},
#ifdef WEFT_HAVE_SIM
    {.name = "sim", .description = "simulated ranks on a simulated network", .make = sim::make, .one_host = true},
#endif
};

std::span<const Registration> registered() { return transports; }

namespace {

// Why a job over several hosts may not use the transport, chosen because of `why`; empty: it may.
std::string refusal(const base::Settings& settings, const Registration& transport, const std::string& why) {
  if (settings.ip_security != "encrypt" || transport.encrypts || transport.one_host) return {};
  return std::string("WEFT_IP_SECURITY is encrypt, but conduit ") + transport.name + " (" + why +
         ") sends data between hosts unencrypted: unset WEFT_CONDUIT and WEFT_OFI_PROVIDER, so that conduit node-ip "
         "joins the hosts, or unset WEFT_IP_SECURITY";
}

// Null if this build has none of the name.
const Registration* find_transport(const std::string& name) {
  const auto found = std::ranges::find_if(transports, [&](const Registration& each) { return name == each.name; });
  return found == std::end(transports) ? nullptr : found;
}

std::string unknown_transport(const std::string& name) {
  std::string names;
  for (const Registration& each : transports) names += std::string(names.empty() ? "" : ", ") + each.name;
  return "there is no conduit '" + name + "' (WEFT_CONDUIT); this build has: " + names;
}

// What the environment says of libfabric, if this job does not use it.
void look_at_unused([[maybe_unused]] const std::string& transport, [[maybe_unused]] const base::Settings& settings) {
#ifdef WEFT_HAVE_OFI
  if (transport != "ofi" && transport != "node" && !settings.ofi_provider.empty())
    ofi::warn_if_unknown(settings.ofi_provider);
#endif
}

bool makes_one_host(const std::string& names) {
  const std::vector<std::string> words = base::parse_list(names);
  return !names.empty() && std::ranges::count(words, words.front()) == std::ssize(words);
}

// For a moment makes the segment of a rank that is alone on its host. Logs why that cannot be.
Status try_segment(const base::Settings& settings, bool shared) {
  smp::Geometry geometry;
  Status status = check_segment_size(settings);
  if (status.ok() && shared) status = smp::Geometry::choose(1, settings, geometry);
  os::Mapping segment;
  const size_t size = shared ? geometry.segment_stride : wanted_segment_size(settings, 1);
  return status.ok() ? os::Mapping::make("weft-segment", size, segment) : status;
}

}  // namespace

bool describe_network(const base::Settings& settings, std::string& text) {
  const bool automatic = settings.conduit == "auto";
  const Automatic chosen = automatic ? choose_here(settings) : Automatic{settings.conduit, "WEFT_CONDUIT is set"};
  const Registration* transport = find_transport(chosen.conduit);
  std::string refused;
  if (transport == nullptr)
    refused = automatic ? "this build has neither conduit ip nor libfabric: jobs stay on one host"
                        : unknown_transport(chosen.conduit);
  else if (transport->one_host)
    refused = "conduit " + chosen.conduit + " (" + chosen.why + ") does not join hosts: unset WEFT_CONDUIT";
  else
    refused = refusal(settings, *transport, chosen.why);
  if (refused.empty() && makes_one_host(settings.host_name))
    refused = "WEFT_HOST_NAME gives all ranks the host '" + base::parse_list(settings.host_name).front() +
              "', whichever they run on: unset it";
  text = "  across hosts        conduit " + chosen.conduit + ": ";
  if (automatic)
    text += chosen.why + " (WEFT_CONDUIT=auto)\n";
  else
    text += (transport != nullptr ? transport->description : "unknown") + std::string(" (WEFT_CONDUIT is set)\n");
  if (!refused.empty()) text += "  would be refused    " + refused + "\n";
  bool starts = refused.empty();
  if (!try_segment(settings, chosen.conduit.starts_with("node")).ok()) {
    text += "  segment             cannot be made\n";
    starts = false;
  }
#ifdef WEFT_HAVE_IP
  const bool ip_starts = ip::describe(settings, text);
  if (chosen.conduit == "ip" || chosen.conduit == "node-ip") starts = starts && ip_starts;
#endif
#ifdef WEFT_HAVE_OFI
  const bool by_ofi = chosen.conduit == "ofi" || chosen.conduit == "node";
  base::Settings of_ofi = settings;
  if (!by_ofi && !settings.net_interface.empty()) {
    of_ofi.net_interface.clear();
    text += "  aside               conduit ofi, which is not chosen, without WEFT_NET_INTERFACE:\n";
  }
  const bool ofi_starts = ofi::describe_provider(of_ofi, text);
  if (by_ofi) starts = starts && ofi_starts;
#endif
  return starts;
}

namespace {

// WEFT_CONDUIT, or what suits where the ranks are.
Status make_transport(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& made,
                      std::string& wanted) {
  wanted = settings.conduit;
#ifdef WEFT_HAVE_SIM
  if (wanted == "auto" && weft::sim::Simulation::on_this_thread()) wanted = "sim";
#endif
  if (wanted == "auto" && environment.hosts->count() == 1) wanted = "smp";
  std::string why = "WEFT_CONDUIT is set";
  if (wanted == "auto") {
    Automatic chosen;
    const Status status = choose_together(*environment.boot, settings, chosen);
    if (!status.ok()) return status;
    wanted = chosen.conduit;
    why = chosen.why;
    if (environment.boot->rank() == 0) base::log(base::LogLevel::info, "conduit %s: %s", wanted.c_str(), why.c_str());
  }
  if (const Registration* transport = find_transport(wanted)) {
    const std::string refused = environment.hosts->count() == 1 ? "" : refusal(settings, *transport, why);
    if (refused.empty()) return transport->make(environment, settings, made);
    if (environment.boot->rank() == 0) base::log_error("%s", refused.c_str());
    (void)environment.boot->fence();  // all come to the same answer, and the first that leaves ends the job
    return WEFT_ERR_INVALID;
  }
  base::log_error("%s", unknown_transport(wanted).c_str());
  return WEFT_ERR_INVALID;
}

}  // namespace

Status make(const Environment& given, const base::Settings& settings, std::unique_ptr<Conduit>& conduit,
            std::string* name) {
  Environment environment = given;
  boot::Hosts hosts;
  if (environment.hosts == nullptr) {
    const Status known = boot::Hosts::collect(*given.boot, settings.host_name, hosts);
    if (!known.ok()) return known;
    environment.hosts = &hosts;
  }
  std::unique_ptr<Conduit> made;
  std::string transport;
  const Status started = make_transport(environment, settings, made, transport);
  if (!started.ok()) return started;
  if (name) *name = transport;
  if (given.boot->rank() == 0) look_at_unused(transport, settings);
  // Innermost first: faults happen in the network, and are recorded like what a network does.
  if (!settings.fault.empty()) {
    Status status = hook::wrap_fault(settings, made);
    if (!status.ok()) return status;
  }
  if (given.recorder != nullptr) hook::wrap_recording(*given.recorder, made);
  conduit = std::move(made);
  return {};
}

}  // namespace weft::conduit
