// Collectives in which each member sends a block to each other, all at once: what they have in common beside the
// blocks. Eager: into scratch space. Put: to where the others say that they want it.
#pragma once

#include "coll/algorithm.hpp"

namespace weft::coll::algorithm {

inline Space space_eager(const Shape& shape, const Plan&) { return {shape.members, shape.members, shape.size}; }
inline Space space_put(const Shape& shape, const Plan&) { return {.lines = 2 * shape.members}; }

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
