// Free ranges of an address space, best fit. Small blocks of one size are kept on lists of their own, so that programs
// that allocate many nodes pay a few nanoseconds for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weft::upcrt {

class Arena {
 public:
  static constexpr uint64_t granule = 16;

  /// Gives the arena the range to hand out: new memory, or a block that has been freed. Multiples of the granule.
  void add(uint64_t start, uint64_t size);
  /// Gives back a block of allocate().
  void release(uint64_t start, uint64_t size);

  /// Takes `size` bytes such that start + header is a multiple of alignment. False if nothing fits.
  bool allocate(uint64_t size, uint64_t header, uint64_t alignment, uint64_t& start);

  uint64_t free_bytes() const { return free_bytes_; }
  /// The size of the free range that ends here, or that starts here; 0 if there is none.
  uint64_t free_before(uint64_t end) const;
  uint64_t free_from(uint64_t start) const;
  /// Of the largest free range.
  uint64_t largest() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }
  /// Takes free memory away from the arena.
  void remove(uint64_t start, uint64_t size);

 private:
  static constexpr uint64_t most_small = 1024;
  static constexpr size_t classes = most_small / granule + 1;

  bool take(uint64_t size, uint64_t header, uint64_t alignment, uint64_t& start);
  void insert(uint64_t start, uint64_t size);
  void erase(std::map<uint64_t, uint64_t>::iterator range);
  void flush();

  uint64_t free_bytes_ = 0;
  std::map<uint64_t, uint64_t> ranges_;               // start -> size, never adjacent
  std::set<std::pair<uint64_t, uint64_t>> by_size_;   // (size, start) of the same ranges
  std::array<std::vector<uint64_t>, classes> small_;  // starts of free blocks of one size
};

}  // namespace weft::upcrt
