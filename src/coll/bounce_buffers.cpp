#include "coll/bounce_buffers.hpp"

#include <algorithm>
#include <bit>

namespace weft::coll {

namespace {

constexpr size_t smallest = 4096;
constexpr size_t alignment = 4096;
// Larger ones would add up, and cost nothing to make anew beside what is done with them.
constexpr size_t largest_kept = size_t{8} << 20;

unsigned class_of(size_t size) { return static_cast<unsigned>(std::bit_width(std::max(size, smallest) - 1)); }

}  // namespace

bool BounceBuffers::take(size_t size, uint64_t& offset) {
  std::vector<uint64_t>& free = free_[class_of(size)];
  if (free.empty()) return allocate(class_of(size), offset);
  offset = free.back();
  free.pop_back();
  return true;
}

bool BounceBuffers::reserve(size_t size, unsigned count) {
  for (unsigned of_class = class_of(smallest); of_class <= class_of(size); ++of_class)
    while (free_[of_class].size() < count) {
      uint64_t offset = 0;
      if (!heap_.has_local_room(size_t{1} << of_class, alignment) || !allocate(of_class, offset)) return false;
      free_[of_class].push_back(offset);
    }
  return true;
}

bool BounceBuffers::allocate(unsigned of_class, uint64_t& offset) {
  return heap_.allocate_local(size_t{1} << of_class, alignment, offset).ok();
}

void BounceBuffers::give_back(uint64_t offset, size_t size) {
  if ((size_t{1} << class_of(size)) > largest_kept)
    (void)heap_.release_local(offset);
  else
    free_[class_of(size)].push_back(offset);
}

}  // namespace weft::coll
