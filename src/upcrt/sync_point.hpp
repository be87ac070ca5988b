// Points at which all threads synchronize: upc_barrier, collective functions, the end of main. A thread that waits has
// told where it is, so that whoever notices that not all came to the same point can say which thread is where.
#pragma once

#include <cstdint>

#include "upcrt/state.hpp"

namespace weft::upcrt {

/// Points of different kinds never match (weft/detail/language.h).
enum class SyncKind : uint32_t { barrier = 1, collective = 2, end = 3 };

struct SyncPoint {
  SyncKind kind;
  const char* function;  // "upc_barrier", "upc_all_alloc"; of the end: "returned from main"
  bool named = false;    // the value must be the same on all threads whose point is named
  int value = 0;         // of the end: the exit code, not named
  uint64_t bytes = 0;    // a collective's size, for messages; 0: none
  Place place{};
};

/// A thread comes, tells where it is, and does not wait yet.
void arrive(State& state, const SyncPoint& point);
/// Waits for all others. Ends the job with a line that says who is where if they came to different points. The caller
/// is in a Calling, which names the wait if a signal ends it.
void await(State& state, const SyncPoint& point);

/// The two together, and the Calling.
void synchronize(State& state, const SyncPoint& point);

}  // namespace weft::upcrt
