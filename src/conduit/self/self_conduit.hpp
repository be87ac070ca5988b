// The smallest transport: a job of one rank that talks to itself. It shows all of the contract in one short file and is
// the one to copy for a new transport (docs/ADDING-A-CONDUIT.md).
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::self {

/// WEFT_ERR_BOOT if the job has more than one rank.
Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::self
