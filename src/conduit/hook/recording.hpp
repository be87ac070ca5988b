// Decorator: tells a recorder of every operation (WEFT_STATS, WEFT_TRACE).
#pragma once

#include <memory>

#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

/// The recorder outlives the conduit.
void wrap_recording(Recorder& recorder, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::hook
