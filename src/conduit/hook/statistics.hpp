// Decorator: counts operations and bytes, and prints them when the job ends (WEFT_STATS=1).
#pragma once

#include <memory>

#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

void wrap_statistics(std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::hook
