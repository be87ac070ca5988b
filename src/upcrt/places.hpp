// How often each place of the source communicated (WEFT_STATS=1): messages and bytes to and from memory that is not
// mapped here, by the place that was told last (upcr_place()).
#pragma once

#include <cstdint>

#include "upcrt/state.hpp"

namespace weft::upcrt {

class PlaceCounts;

/// The calling thread's, if it counts.
extern thread_local PlaceCounts* place_counts __attribute__((tls_model("initial-exec")));

void count_at_place(uint64_t messages, uint64_t bytes);

/// One operation on memory that is not mapped.
inline void count_message(uint64_t bytes) {
  if (__builtin_expect(place_counts != nullptr, 0)) count_at_place(1, bytes);
}
/// More bytes of the last one.
inline void count_more_bytes(uint64_t bytes) {
  if (__builtin_expect(place_counts != nullptr, 0)) count_at_place(0, bytes);
}

/// At the start, if statistics are wanted. Thread 0 makes the file of UPC_PLACES.
void start_counting_places(const State& state);
/// At the end, on all threads: thread 0 prints the places with most messages, and writes all to that file.
void tell_places(const State& state);

}  // namespace weft::upcrt
