// What weft-bench-scale times: one collective, or messages between two nodes.
#pragma once

#include <weft/team.h>

#include <cstdint>
#include <string>
#include <vector>

namespace scale {

/// What the command line says.
struct Options {
  std::string operation;
  std::vector<size_t> sizes = {8};  // bytes of a message, or of a member's block
  uint32_t calls = 1;               // timed together, one after the other; a flood has its own number
  uint32_t repetitions = 3;         // of which the median counts
  uint32_t row = 0;                 // members of a team: so many ranks that follow each other; 0: all
  uint32_t senders = 1;             // of messages: so many ranks of the first half send
  bool is_strict = false;           // a barrier before and after each collective
  bool in_flight = false;           // all calls are begun before the first is waited for
  double operations = 0;            // that each rank computes after each call, or while calls are in flight
  std::string json;
};

/// Names of all operations, in the order in which --help shows them.
const std::vector<std::string>& operation_names();

/// Runs the operation with this size and returns the nanoseconds of one call, on all ranks alike: from when its root
/// calls it, or without one root to begin when the last rank does, until the last rank has it. Collective.
double nanoseconds(const Options& options, weft_team_t team, size_t size, char* to, const char* from);

/// Bytes that each of both buffers needs.
size_t buffer_bytes(const Options& options, size_t size, uint32_t members);

}  // namespace scale
