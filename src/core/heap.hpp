// Allocation in the segment. Two arenas share it: the symmetric one grows from the low end, the local one from the high
// end, so neither has a fixed share. All book-keeping lives outside the segment.
//
// The symmetric arena's answers depend only on the sequence of calls, so ranks that make the same calls get the same
// offsets without talking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "base/status.hpp"

namespace weft::core {

/// Best fit over an address range that starts at `first` and grows upward on demand.
class Arena {
 public:
  explicit Arena(size_t first = 0) : top_(first) {}

  /// True and an aligned position if it fits below `limit`. size > 0; alignment is a power of two.
  bool allocate(size_t size, size_t alignment, size_t limit, size_t& position);
  /// False if nothing was allocated at this position.
  bool release(size_t position);
  /// First byte never in use so far, after trailing free space was given back.
  size_t top() const { return top_; }

 private:
  void add_free(size_t position, size_t size);

  size_t top_ = 0;
  std::map<size_t, size_t> free_;                // position -> size; never adjacent
  std::unordered_map<size_t, size_t> allocated_;  // position -> size
};

class SegmentHeap {
 public:
  /// Manages [reserved, size) of the segment.
  SegmentHeap(size_t reserved, size_t size) : size_(size), low_(reserved) {}

  Status allocate_symmetric(size_t size, size_t alignment, size_t& offset);
  Status allocate_local(size_t size, size_t alignment, size_t& offset);
  Status release_symmetric(size_t offset);
  Status release_local(size_t offset);

 private:
  // Both with the lock held.
  Status check_request(size_t& size, size_t& alignment) const;
  Status exhausted(const char* kind, size_t size) const;

  size_t size_;
  base::SpinLock lock_;
  Arena low_;   // positions are offsets
  Arena high_;  // n bytes at position p are the offsets [size_ - p - n, size_ - p)
  std::unordered_map<size_t, size_t> high_position_;  // offset -> position
};

}  // namespace weft::core
