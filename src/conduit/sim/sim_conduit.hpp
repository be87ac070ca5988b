// Simulated ranks: a network in virtual time (src/sim). docs/SIMULATION.md is the user's page.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::sim {

/// WEFT_ERR_BOOT if this process runs no simulation.
Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::sim
