// What is said of locks when a thread's part of the program is over, or a signal ends it.
#pragma once

#include <string>

#include "upcrt/state.hpp"

namespace weft::upcrt {

/// WEFT_CHECK: this thread, whose part of the program is over, has passed on all locks that are still there.
void check_none_held(State& state);

/// Shows the others where in the source this thread took the locks that it holds. Only when the job ends.
void show_held_locks(State& state);

/// Who has the lock whose queue has the node `behind` before this thread's: "thread 2 has held the lock since a.upc:7",
/// without the place where the thread does not show it. Where the memory of a thread in the queue is not mapped here:
/// which thread asked before this one. Gives the holder a moment for show_held_locks().
std::string holder_text(State& state, uint64_t behind);

/// "this thread has held a lock since a.upc:7", of the last one taken, for threads whose holder_text() cannot see it;
/// empty where all memory is mapped, or none is held.
std::string held_text(const State& state);

}  // namespace weft::upcrt
