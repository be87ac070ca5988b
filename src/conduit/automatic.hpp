// What joins the hosts of a job when WEFT_CONDUIT is auto: libfabric (conduit node) where it reaches hardware of its
// own or a setting asks for what it alone has, else TCP (conduit node-ip), which lets no stranger in and alone can
// encrypt.
#pragma once

#include <string>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "boot/boot.hpp"

namespace weft::conduit {

struct Automatic {
  std::string conduit;  ///< "node" or "node-ip"
  std::string why;
};

/// What suits this host. On a host with a device for RDMA it asks libfabric, which takes 0.1 s.
Automatic choose_here(const base::Settings& settings);

/// What suits all hosts of the job. Collective: one round of boot.
Status choose_together(boot::Boot& boot, const base::Settings& settings, Automatic& chosen);

}  // namespace weft::conduit
