// The blocks of a gather-all: of one size, or with a size for each member, which all members know. Algorithms are
// templates of these two.
#pragma once

#include <algorithm>

#include "coll/call.hpp"

namespace weft::coll::algorithm {

/// One after another in the destination.
class EqualBlocks {
 public:
  explicit EqualBlocks(const Call& call) : n_(call.size()), size_(call.request().size) {}
  size_t size(uint32_t) const { return size_; }
  /// Where a member's block lies in the destination.
  size_t place(uint32_t member) const { return member * size_; }
  /// Bytes of the destination, to the end of the last block.
  size_t extent() const { return n_ * size_; }
  /// Bytes of so many blocks that follow each other; the first comes after the last.
  size_t run(uint32_t /*first*/, uint64_t count) const { return count * size_; }
  /// From such a run of all blocks to the destination.
  void spread(std::byte* destination, const std::byte* blocks, uint32_t first) const {
    const size_t tail = (n_ - first) * size_;
    os::copy_data(destination + first * size_, blocks, tail);
    os::copy_data(destination, blocks + tail, first * size_);
  }
  /// From a destination's bounce buffer.
  void settle(std::byte* destination, const std::byte* buffer) const { os::copy_data(destination, buffer, n_ * size_); }

 private:
  uint32_t n_;
  size_t size_;
};

class ListedBlocks {
 public:
  explicit ListedBlocks(const Call& call) : n_(call.size()), sizes_(*call.request().sizes) {}
  size_t size(uint32_t member) const { return sizes_.to_size[member]; }
  size_t place(uint32_t member) const { return size(member) == 0 ? 0 : sizes_.to_offset[member]; }
  size_t extent() const {
    size_t end = 0;
    for (uint32_t member = 0; member < n_; ++member) end = std::max(end, place(member) + size(member));
    return end;
  }
  size_t run(uint32_t first, uint64_t count) const {
    size_t bytes = 0;
    for (uint64_t i = 0; i < count; ++i) bytes += size(static_cast<uint32_t>((first + i) % n_));
    return bytes;
  }
  void spread(std::byte* destination, const std::byte* blocks, uint32_t first) const {
    for (uint32_t i = 0; i < n_; ++i) {
      const uint32_t member = (first + i) % n_;
      if (size(member) == 0) continue;
      os::copy_data(destination + place(member), blocks, size(member));
      blocks += size(member);
    }
  }
  void settle(std::byte* destination, const std::byte* buffer) const {
    for (uint32_t member = 0; member < n_; ++member)
      if (size(member) != 0) os::copy_data(destination + place(member), buffer + place(member), size(member));
  }

 private:
  uint32_t n_;
  const VectorSizes& sizes_;
};

/// This member's block, to its place in the destination.
template <class Blocks>
void own_block(const Request& r, const Blocks& blocks, uint32_t me) {
  if (blocks.size(me) == 0) return;
  std::byte* const place = r.destination + blocks.place(me);
  if (r.source != place) os::copy_data(place, r.source, blocks.size(me));
}

}  // namespace weft::coll::algorithm
