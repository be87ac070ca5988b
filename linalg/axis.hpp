// One dimension of a block-cyclic matrix: `extent` indices in blocks, dealt in turn over `parts` grid rows (or
// columns), the first block to `first`. A part numbers its indices in their order; so the indices of any range that lie
// on one part are a range there, too.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::la {

/// Indices start to start + count - 1.
struct Interval {
  int64_t start;
  int64_t count;
};

struct Axis {
  int64_t extent;
  int64_t block;
  uint32_t first;
  uint32_t parts;

  bool operator==(const Axis&) const = default;

  uint32_t owner(int64_t index) const { return static_cast<uint32_t>((index / block + first) % parts); }
  /// The number that an index has on its owner.
  int64_t local(int64_t index) const { return index / block / parts * block + index % block; }
  /// The index that has this number on a part.
  int64_t global(uint32_t part, int64_t number) const {
    return (number / block * parts + distance(part)) * block + number % block;
  }
  /// How many indices below this one lie on the part (ScaLAPACK's NUMROC).
  int64_t before(uint32_t part, int64_t index) const;
  int64_t extent_on(uint32_t part) const { return before(part, extent); }
  /// The index where the block of this one ends.
  int64_t block_end(int64_t index) const { return (index / block + 1) * block; }

  /// The indices from `begin` to below `end` that lie on the part, each moved by `shift`.
  std::vector<Interval> intervals(uint32_t part, int64_t begin, int64_t end, int64_t shift) const;

 private:
  // Turns from the owner of the first block to the part.
  int64_t distance(uint32_t part) const { return (part + parts - first) % parts; }
};

/// Consecutive numbers on one part, and where the first of them stands in the list that they were cut from.
struct Run {
  uint32_t owner;
  int64_t local;
  int64_t count;
  int64_t position;
};

/// A list of intervals in the parts' own numbers, in order, as few runs as there can be.
std::vector<Run> runs_of(const Axis& axis, const std::vector<Interval>& intervals);

}  // namespace weft::la
