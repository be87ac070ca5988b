// Decorator: misbehaves as a network may, by dice (WEFT_FAULT). With probability `refuse` an operation is declined;
// with `delay` it takes place only in a later poll(), and stays delayed there with `hold`; with `reorder` delayed
// operations take place out of order. Everything the contract promises still holds, so whatever fails above it is a bug
// above it. The seed is logged and replays the same dice for the same calls.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

/// Parses setting `fault`; logs what is wrong with it.
Status wrap_fault(const base::Settings& settings, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::hook
