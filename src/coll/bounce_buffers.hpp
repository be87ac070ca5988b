// Bounce buffers: memory of the segment in the place of buffers that lie outside it. What is given back is kept, by
// power of two, for the next call.
#pragma once

#include <cstdint>
#include <vector>

#include "core/heap.hpp"

namespace weft::coll {

class BounceBuffers {
 public:
  explicit BounceBuffers(core::SegmentHeap& heap) : heap_(heap), free_(64) {}

  /// At least `size` bytes at this offset of the segment. False: there is no room.
  bool take(size_t size, uint64_t& offset);
  /// Has so many buffers of each size up to `size` ready for take(), if there is room for them.
  bool reserve(size_t size, unsigned count);
  /// `size` as for take().
  void give_back(uint64_t offset, size_t size);

 private:
  bool allocate(unsigned of_class, uint64_t& offset);

  core::SegmentHeap& heap_;
  std::vector<std::vector<uint64_t>> free_;  // offsets, by power of two
};

}  // namespace weft::coll
