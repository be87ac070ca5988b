// Large data in segments that follow each other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "coll/choice.hpp"
#include "coll/model.hpp"

namespace weft::coll::algorithm {

/// Bytes of a segment: the plan's, more where there would be too many of them, in whole elements.
inline uint64_t segment_of(size_t size, const Plan& plan, size_t element = 1) {
  constexpr uint64_t most_segments = 64;
  const uint64_t segment = std::max<uint64_t>(plan.segment, (size + most_segments - 1) / most_segments);
  return (segment + element - 1) / element * element;
}
inline uint32_t segments_of(size_t size, const Plan& plan, size_t element = 1) {
  const uint64_t segment = segment_of(size, plan, element);
  return static_cast<uint32_t>((size + segment - 1) / segment);
}

/// Expected nanoseconds: the first segment goes through `depth` members, a step each, and the others follow it.
inline double pipelined(const Model& model, double step, uint32_t depth, uint32_t count) {
  return model.phase() + depth * (step + model.phase()) + (count - 1) * step;
}

/// Of 4 KiB to 1 MiB, to choose from.
inline constexpr uint64_t segments[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

}  // namespace weft::coll::algorithm
