// What is said of locks when a signal ends a thread that waits.
#pragma once

#include <string>

#include "upcrt/state.hpp"

namespace weft::upcrt {

/// Shows the others where in the source this thread took the locks that it holds. Only when the job ends.
void show_held_locks(State& state);

/// "thread 2 has held it since a.upc:7", of the lock whose queue has the node `behind` before this thread's; with less
/// in it, or empty, where this thread cannot see that. Gives the holder a moment for show_held_locks().
std::string holder_text(State& state, uint64_t behind);

}  // namespace weft::upcrt
