// libfabric, opened at run time: Weft neither links nor needs it where all ranks share one host.
//
// Most of libfabric's interface are inline functions over tables that its objects carry; only the few functions that
// make the first objects come from the library itself. Their symbol versions are those of the library that Weft was
// built with (CMake reads them from it), because the layout of the structures goes with them.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <csignal>
#include <iterator>
#include <memory>

#include "base/status.hpp"

namespace weft::conduit::ofi {

/// The functions of the library, by the types that its headers give them.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;

  /// Text for a negative return value of libfabric.
  const char* error(ssize_t code) const { return strerror(static_cast<int>(-code)); }
};

/// libfabric's libraries for some networks put handlers on the signals of crashes and of the end when they are loaded
/// or first asked. The program's own, and the launcher's view of how a rank died, come back when this goes.
class KeptSignalHandlers {
 public:
  KeptSignalHandlers();
  ~KeptSignalHandlers();
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;

 private:
  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM};
  struct sigaction kept_[std::size(signals)];
};

/// Opens the library once per process. Logs what to install if it is not there and `required`.
Status open_library(const Library*& library, bool required = true);

/// Packets that libfabric's reliable datagrams (rxd) take in at most in one look at the completion queue, and send to a
/// peer at most before it has acknowledged some.
inline constexpr size_t datagrams_per_look = 128, datagram_window = 16;

struct InfoDelete {
  const Library* library = nullptr;
  void operator()(fi_info* info) const { library->freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoDelete>;

/// The version of libfabric's interface that Weft asks for.
inline constexpr uint32_t interface_version = FI_VERSION(1, 17);

/// Closes a libfabric object when it goes.
struct Close {
  template <class Object>
  void operator()(Object* object) const {
    fi_close(&object->fid);
  }
};
template <class Object>
using Owned = std::unique_ptr<Object, Close>;

}  // namespace weft::conduit::ofi
