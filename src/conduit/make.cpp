#include "base/log.hpp"
#include "conduit/conduit.hpp"
#include "conduit/hook/fault.hpp"
#include "conduit/hook/statistics.hpp"
#include "conduit/hook/trace.hpp"
#include "conduit/self/self_conduit.hpp"
#include "conduit/smp/smp_conduit.hpp"

namespace weft::conduit {

// One line registers a transport.
constexpr Registration transports[] = {
    {"smp", "ranks of one host share memory", smp::SmpConduit::make},
    {"self", "a job of one rank", self::make},
};

std::span<const Registration> registered() { return transports; }

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit) {
  std::unique_ptr<Conduit> made;
  std::string names;
  for (const Registration& transport : transports) {
    names += std::string(names.empty() ? "" : ", ") + transport.name;
    if (settings.conduit != transport.name) continue;
    Status status = transport.make(environment, settings, made);
    if (!status.ok()) return status;
  }
  if (!made) {
    base::log_error("there is no conduit '%s' (WEFT_CONDUIT); this build has: %s", settings.conduit.c_str(),
                    names.c_str());
    return WEFT_ERR_INVALID;
  }
  // Innermost first: faults happen in the network, statistics count what the program asked for, the trace shows it all.
  if (!settings.fault.empty()) {
    Status status = hook::wrap_fault(settings, made);
    if (!status.ok()) return status;
  }
  if (settings.stats) hook::wrap_statistics(made);
  if (!settings.trace.empty()) {
    Status status = hook::wrap_trace(settings, made);
    if (!status.ok()) return status;
  }
  conduit = std::move(made);
  return {};
}

}  // namespace weft::conduit
