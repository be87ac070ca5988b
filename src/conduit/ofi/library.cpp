#include "conduit/ofi/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <type_traits>

#include "base/log.hpp"

namespace weft::conduit::ofi {
namespace {

// Defaults of libfabric's own variables that suit Weft better than libfabric's; the user's values win, except where
// the conduit relies on its own.
//   FI_OFI_RXM_USE_SRX      one pool of receive buffers for all peers, not one per peer
//   FI_OFI_RXM_MSG_RX_SIZE  buffers in that pool, of 16 KiB, all touched at the start (docs/NETWORKS.md, "The start")
//   FI_OFI_RXD_...          see Rail::datagrams()
void set_defaults() {
  ::setenv("FI_OFI_RXM_USE_SRX", "1", 0);
  ::setenv("FI_OFI_RXM_MSG_RX_SIZE", "512", 0);
  ::setenv("FI_OFI_RXD_SPIN_COUNT", std::to_string(datagrams_per_look).c_str(), 1);
  ::setenv("FI_OFI_RXD_MAX_UNACKED", std::to_string(datagram_window).c_str(), 1);
}

struct Opened {
  Library library{};
  const char* problem = nullptr;
};

template <class Function>
bool load(void* handle, Function& function, const char* name, const char* version) {
  function = reinterpret_cast<Function>(::dlvsym(handle, name, version));
  return function != nullptr;
}

Opened open_now() {
  Opened opened;
  set_defaults();
  const KeptSignalHandlers kept;
  // Never closed: its objects and threads may outlive our last call.
  void* handle = ::dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    opened.problem = ::dlerror();
    return opened;
  }
  Library& library = opened.library;
  const bool all = load(handle, library.getinfo, "fi_getinfo", WEFT_FI_GETINFO_VERSION) &&
                   load(handle, library.freeinfo, "fi_freeinfo", WEFT_FI_FREEINFO_VERSION) &&
                   load(handle, library.dupinfo, "fi_dupinfo", WEFT_FI_DUPINFO_VERSION) &&
                   load(handle, library.fabric, "fi_fabric", WEFT_FI_FABRIC_VERSION) &&
                   load(handle, library.strerror, "fi_strerror", WEFT_FI_STRERROR_VERSION) &&
                   load(handle, library.version, "fi_version", WEFT_FI_VERSION_VERSION);
  if (!all) opened.problem = ::dlerror();
  return opened;
}

}  // namespace

KeptSignalHandlers::KeptSignalHandlers() {
  for (size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], nullptr, &kept_[i]);
}

KeptSignalHandlers::~KeptSignalHandlers() {
  for (size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &kept_[i], nullptr);
}

Status open_library(const Library*& library, bool required) {
  static const Opened opened = open_now();
  if (opened.problem == nullptr) {
    library = &opened.library;
    return {};
  }
  if (required)
    base::log_error(
        "libfabric cannot be used (%s): install libfabric1 of at least version %d.%d, which Weft was built "
        "with; without it only jobs on one host run (WEFT_CONDUIT=smp)",
        opened.problem, FI_MAJOR_VERSION, FI_MINOR_VERSION);
  return WEFT_ERR_UNSUPPORTED;
}

}  // namespace weft::conduit::ofi
