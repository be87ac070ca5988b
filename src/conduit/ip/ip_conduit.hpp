// The transport over any IP network, by a protocol of our own on TCP: docs/IP-PROTOCOL.md.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::ip {

/// Lines for weft-info: what the conduit would use here.
std::string describe(const base::Settings& settings);

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::ip
