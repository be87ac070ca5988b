// Algorithms that are put together from others: the stages, and their parts of a region.
#pragma once

#include <array>

#include "coll/algorithm.hpp"

namespace weft::coll {

/// Where a stage's lines and slots lie in its call's region.
struct Layout {
  Layout() = default;
  explicit Layout(const Space& space, uint32_t first_line_ = 0, size_t first_bulk_ = 0)
      : first_line(first_line_),
        lines(space.lines),
        first_bulk(first_bulk_),
        slot_room(space.slot_bytes <= line_payload ? space.slot_bytes
                                                   : (space.slot_bytes + line_bytes - 1) / line_bytes * line_bytes),
        bulk(space.slot_bytes <= line_payload ? 0 : space.slots * slot_room) {}

  uint32_t first_line = 0, lines = 0;
  size_t first_bulk = 0;
  size_t slot_room = 0;  // bytes of a slot
  size_t bulk = 0;       // of all slots
};

/// The plans of the stages that an algorithm has, in its order.
struct Stages {
  std::array<Plan, 3> plan;
};

}  // namespace weft::coll
