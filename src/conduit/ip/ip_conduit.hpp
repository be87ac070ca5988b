// The transport over any IP network, by a protocol of our own on TCP: docs/IP-PROTOCOL.md.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::ip {

/// Adds lines for weft-info: what the conduit would use here. False if it would not start.
bool describe(const base::Settings& settings, std::string& text);

/// Whether small frames may go as datagrams. `crowded`: the ranks of a host outnumber its processors. A rank that waits
/// for its processor answers no datagram in time: its peers take that for loss and send again.
inline bool uses_datagrams(const base::Settings& settings, bool crowded) {
  if (settings.ip_datagrams != "auto") return settings.ip_datagrams == "1";
  return settings.spin_us != 0 && !crowded;
}

Status make(const Environment& environment, const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::ip
