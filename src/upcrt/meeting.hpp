// Where all threads meet: upc_barrier, collective functions, the end of main. A thread that waits has told where it is,
// so that whoever notices that not all came to the same place can say which thread is where.
#pragma once

#include <cstdint>

#include "upcrt/state.hpp"

namespace weft::upcrt {

/// Meetings of different kinds never match (weft/detail/language.h).
enum class MeetingKind : uint32_t { barrier = 1, collective = 2, end = 3 };

struct Meeting {
  MeetingKind kind;
  const char* function;  // "upc_barrier", "upc_all_alloc"; of the end: "returned from main"
  bool named = false;    // the value must be the same on all threads whose meeting is named
  int value = 0;         // of the end: the exit code, not named
  uint64_t bytes = 0;    // a collective's size, for messages; 0: none
  Place place{};
};

/// A thread comes, tells where it is, and does not wait yet.
void arrive(State& state, const Meeting& meeting);
/// Waits for all others. Ends the job with a line that says who is where if they came to different meetings. The caller
/// is in a Calling, which names the wait if a signal ends it.
void await(State& state, const Meeting& meeting);

/// The two together, and the Calling.
void meet(State& state, const Meeting& meeting);

}  // namespace weft::upcrt
