// A simulated rank whose stack is used up ends the process with a line that says so: what the kernel says of it is a
// crash like any other.
#pragma once

#include "sim/fiber.hpp"

namespace weft::sim {

/// As long as this exists; for the calling thread. Does nothing where somebody handles crashes already.
class OverflowWatch {
 public:
  /// `stacks` are by rank.
  explicit OverflowWatch(const Stacks& stacks);
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;
};

}  // namespace weft::sim
