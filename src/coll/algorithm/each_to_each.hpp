// Collectives in which each member sends a block to each other, all at once: what they have in common beside the
// blocks. Eager: into scratch space. Put: to where the others say that they want it.
#pragma once

#include "coll/algorithm.hpp"
#include "coll/algorithm/tree.hpp"

namespace weft::coll::algorithm {

/// Partners in turns 1 to n - 1: near ones first, above and below by turns. All members go the same way in a turn, so
/// each is the partner of one. On a ring, as a torus has them, links of both directions are used; by turns that only
/// rise one half of them would wait for the other.
inline uint32_t stride_of(uint32_t turn, uint32_t n) { return turn % 2 != 0 ? (turn + 1) / 2 : n - turn / 2; }
/// To whom a member sends in a turn, and from whom it gets.
inline uint32_t target_in(uint32_t turn, uint32_t me, uint32_t n) { return member_at(stride_of(turn, n), me, n); }
inline uint32_t source_in(uint32_t turn, uint32_t me, uint32_t n) { return position_of(me, stride_of(turn, n), n); }

inline Space space_eager(const Shape& shape, const Plan&) { return {shape.members, shape.members, shape.size}; }
inline Space space_put(const Shape& shape, const Plan&) { return {.lines = shape.members}; }

inline bool fits_eager(const Shape& shape, const Plan&) { return shape.size <= size_t{64} << 10; }
inline bool fits_put(const Shape&, const Plan&) { return true; }

inline double cost_eager(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t others = shape.members - 1;
  return model.phase() + others * model.through(shape.size) + model.taking_in(others) +
         model.incast(others, shape.size) + shape.members * model.copy(shape.size);
}
inline double cost_put(const Model& model, const Shape& shape, const Plan&) {
  const uint32_t others = shape.members - 1;
  return 2 * model.phase() + others * (model.message(shape.size) + model.overhead_ns) +
         model.incast(others, shape.size) + model.copy(shape.size);
}

}  // namespace weft::coll::algorithm
