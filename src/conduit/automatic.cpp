#include "conduit/automatic.hpp"

#include <filesystem>

#include "base/log.hpp"
#include "conduit/start_round.hpp"
#ifdef WEFT_HAVE_OFI
#include "conduit/ofi/provider.hpp"
#endif

namespace weft::conduit {
namespace {

constexpr const char* key = "automatic";

// The name of the first device, where the kernel lists those for RDMA; empty if there is none.
std::string rdma_device() {
  for (const char* list : {"/sys/class/infiniband", "/sys/class/cxi"}) {
    std::error_code error;
    for (const auto& device : std::filesystem::directory_iterator(list, error)) return device.path().filename();
  }
  return {};
}

}  // namespace

Automatic choose_here(const base::Settings& settings) {
#if !defined(WEFT_HAVE_OFI)
  (void)settings;
  return {"node-ip", "this build has no libfabric"};
#elif !defined(WEFT_HAVE_IP)
  (void)settings;
  return {"node", "this build has no conduit ip"};
#else
  if (!settings.ofi_provider.empty()) return {"node", "WEFT_OFI_PROVIDER is set"};
  if (settings.ip_security == "encrypt") return {"node-ip", "WEFT_IP_SECURITY is encrypt"};
  const std::string device = rdma_device();
  if (device.empty()) return {"node-ip", "no device for RDMA here"};
  const std::string provider = ofi::hardware_provider();
  if (provider.empty()) return {"node-ip", "libfabric has no provider for " + device};
  return {"node", "libfabric has provider " + provider};
#endif
}

Status choose_together(boot::Boot& boot, const base::Settings& settings, Automatic& chosen) {
  const base::KeepErrors errors;
  chosen = choose_here(settings);
  const std::string mine = chosen.conduit;
  const Status status = tell(boot, key, {}, mine, errors);
  base::KeepErrors::end(false);
  if (!status.ok()) return status;
  std::vector<std::string> all;
  const Status heard = hear(boot, key, all);
  if (!heard.ok()) return heard;
  for (conduit::RankId rank = 0; rank < boot.size(); ++rank) {
    if (all[rank] == "node-ip" && mine == "node") chosen = {"node-ip", "so it is on rank " + std::to_string(rank)};
  }
  return {};
}

}  // namespace weft::conduit
