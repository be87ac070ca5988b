// Allocation in the segment. Two arenas share it: the symmetric one grows from the low end, the local one from the high
// end, so neither has a fixed share. All book-keeping lives outside the segment.
//
// The symmetric arena's answers depend only on the sequence of calls, so ranks that make the same calls get the same
// offsets without talking.
#pragma once

#include <atomic>
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
  explicit Arena(size_t first = 0) : top_(first), highest_(first) {}

  /// True and an aligned position if it fits below `limit`. size > 0; alignment is a power of two.
  bool allocate(size_t size, size_t alignment, size_t limit, size_t& position);
  /// False if nothing was allocated at this position.
  bool release(size_t position);
  /// First byte never in use so far, after trailing free space was given back.
  size_t top() const { return top_; }
  /// First byte that never was.
  size_t highest() const { return highest_; }

 private:
  void add_free(size_t position, size_t size);

  size_t top_ = 0;
  size_t highest_ = 0;
  std::map<size_t, size_t> free_;                 // position -> size; never adjacent
  std::unordered_map<size_t, size_t> allocated_;  // position -> size
};

/// An allocation: `size` bytes were asked for.
struct Block {
  size_t start = 0;
  size_t size = 0;
};

class SegmentHeap {
 public:
  /// Manages [reserved, size) of the segment.
  SegmentHeap(size_t reserved, size_t size) : size_(size), low_(reserved) {}

  Status allocate_symmetric(size_t size, size_t alignment, size_t& offset);
  /// `fresh`, if not null: so many bytes from `offset` on were never in use, and are zero.
  Status allocate_local(size_t size, size_t alignment, size_t& offset, size_t* fresh = nullptr);
  /// Whether allocate_local() would find room.
  bool has_local_room(size_t size, size_t alignment);
  /// From now on nothing is logged where there is no room, or something is. Returns what held before.
  bool silence(bool silent) { return silent_.exchange(silent); }
  Status release_symmetric(size_t offset);
  Status release_local(size_t offset);

  // For checked mode.
  enum class Where : uint8_t { nowhere, symmetric, local };
  /// The kind of live memory that the byte at `offset` belongs to, and its block; the few bytes by which a block was
  /// rounded up belong to it.
  Where find(size_t offset, Block& block);
  /// First offset that no symmetric memory has reached.
  size_t symmetric_top();
  /// From now on the lowest offset of local memory is kept in this word.
  void publish_local_bottom(std::atomic<uint64_t>& word);

 private:
  struct LocalBlock {
    size_t position;  // in high_
    size_t asked;
  };

  // Both with the lock held.
  Status check_request(size_t& size, size_t& alignment) const;
  Status exhausted(const char* kind, size_t size) const;
  void tell_local_bottom();

  size_t size_;
  std::atomic<bool> silent_ = false;
  base::SpinLock lock_;
  Arena low_;                           // positions are offsets
  Arena high_;                          // n bytes at position p are the offsets [size_ - p - n, size_ - p)
  std::map<size_t, size_t> symmetric_;  // offset -> size asked for
  std::map<size_t, LocalBlock> local_;  // by offset
  std::atomic<uint64_t>* local_bottom_ = nullptr;
};

}  // namespace weft::core
