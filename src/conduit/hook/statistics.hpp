// Decorator: counts operations and bytes, and prints them when the job ends (WEFT_STATS=1).
#pragma once

#include <memory>
#include <string>

#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

void wrap_statistics(std::unique_ptr<Conduit>& conduit);

/// The title and what has been counted, a line for each kind of operation.
std::string statistics_table(const std::string& title, const Counters& counters);

}  // namespace weft::conduit::hook
