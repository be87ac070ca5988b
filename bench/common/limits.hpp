// The machine's limits: what two cores and their caches do with no library between them.
//
//  memcpy            a copy of the same size, with source and destination chosen the same way
//  line round trip   one cache line there and back between two cores: both ranks write the one line in turn. (Two
//  lines,
//                    one per direction, would take longer: a core that reads a line which another one has modified is
//                    given it for writing too.)
//  bare echo         the same with a payload behind the word, on its line while it fits there
//  bare line queue   one-way flood of lines through a ring; the receiver gives room back once per 64
//  bare atomic       the processor's instruction on the same word
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/timing.hpp"

namespace bench {

inline constexpr size_t line_bytes = 64;

/// A word both ranks know, with room for a payload behind it. Zero at first.
struct alignas(line_bytes) Box {
  uint64_t word;
  char payload[line_bytes - sizeof(uint64_t)];
};

/// One cache line there and back between ranks 0 and 1; other ranks do nothing. `box` is in memory that both map.
Loop line_round_trip(uint32_t rank, Box* box);

/// The same with `size` bytes behind the word: each side copies them out of the box and back into it. `local` has room
/// for them.
Loop bare_echo(uint32_t rank, Box* box, char* local, size_t size);

/// Memory of line_flood(): zero at first, in memory that both map.
struct LineQueue {
  static constexpr uint64_t lines = 256;
  alignas(line_bytes) uint64_t consumed;
  struct alignas(line_bytes) Line {
    uint64_t sequence;
    uint64_t words[7];
  } line[lines];
};

/// Rank 0 sends lines of which one word is used to rank 1, which adds them up.
Loop line_flood(uint32_t rank, LineQueue* queue);

}  // namespace bench
