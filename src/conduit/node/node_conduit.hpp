// Ranks of one host talk through one conduit (inner), all others through another (outer). Which two is make.cpp's
// choice; this one names neither. The segments are the inner conduit's, and the outer one uses the same memory.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::node {

using Make = Status (*)(const Environment&, const base::Settings&, std::unique_ptr<Conduit>&);

/// Collective. The outer conduit is made with `threads_multiple`: a thread of this one sleeps in its doze().
Status make(const Environment& environment, const base::Settings& settings, Make inner, Make outer,
            std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::node
