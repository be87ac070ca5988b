// The transport over libfabric: ranks anywhere that an RDM endpoint reaches.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::ofi {

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::ofi
