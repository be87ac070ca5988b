// The machine's limits: what two cores and their caches do with no library between them.
//
//  memcpy            a copy of the same size, with source and destination chosen the same way
//  line round trip   one cache line there and back between two cores: both ranks write the one line in turn. (Two
//                    lines, one per direction, would take longer: a core that reads a line which another one has
//                    modified is given it for writing too.)
//  bare echo         a payload there and back: each side copies what it was given straight to the other side's memory
//                    and sets a word before it; up to 56 bytes both ranks use one line for it
//  bare line queue   one-way flood of lines through a ring; the receiver gives room back once per 64
//  bare atomic       the processor's instruction on the same word
//  turn of each      ranks that share processors: each writes its number, and yields until all have; nothing that all
//                    ranks take part in can be over before each has had the processor
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

/// What the plainest code makes of it, as results of their own: how far a library can go today on these two cores. Both
/// spin with the processor's hint for waiting. `own` is written by the other rank, `others` by this one.
///  two_line_round_trip  there on the one line and back on the other, as between two waiting targets of signals
///  bare_barrier         each rank tells the other at once and waits for it; two pairs of lines in turn
Loop two_line_round_trip(uint32_t rank, Box* own, Box* others);
Loop bare_barrier(uint32_t rank, Box* own, Box* others);

/// A turn of each of `ranks` ranks. `board`: a word for each, zero at first, in memory that all map.
Loop turn_of_each(uint32_t rank, uint32_t ranks, uint64_t* board);

/// Memory for bare_echo() of `size` bytes, zero at first, the same on ranks 0 and 1: a Box each whose payload may be
/// longer.
constexpr size_t echo_bytes(size_t size) { return sizeof(Box) + size; }
Loop bare_echo(uint32_t rank, Box* own, Box* others, size_t size);

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
