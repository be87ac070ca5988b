// Decorator: a timeline of operations, messages, sleeps and the program's own spans, as Chrome trace events that
// Perfetto opens (WEFT_TRACE=file). Rank 0 creates the file, every rank appends its events when it ends, one after the
// other.
#pragma once

#include <memory>

#include "base/settings.hpp"
#include "conduit/conduit.hpp"

namespace weft::conduit::hook {

/// Times in the trace count from `start_ns`. Fails, with a line that says why, if the file cannot be written.
Status wrap_trace(const base::Settings& settings, uint64_t start_ns, std::unique_ptr<Conduit>& conduit);

}  // namespace weft::conduit::hook
