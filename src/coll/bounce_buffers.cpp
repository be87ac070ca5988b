#include "coll/bounce_buffers.hpp"

#include <algorithm>
#include <bit>

namespace weft::coll {

namespace {

constexpr size_t smallest = 4096;
// Larger ones would add up, and cost nothing to make anew beside what is done with them.
constexpr size_t largest_kept = size_t{8} << 20;

unsigned class_of(size_t size) { return static_cast<unsigned>(std::bit_width(std::max(size, smallest) - 1)); }

}  // namespace

bool BounceBuffers::take(size_t size, uint64_t& offset) {
  std::vector<uint64_t>& free = free_[class_of(size)];
  if (free.empty()) return heap_.allocate_local(size_t{1} << class_of(size), 4096, offset).ok();
  offset = free.back();
  free.pop_back();
  return true;
}

void BounceBuffers::give_back(uint64_t offset, size_t size) {
  if ((size_t{1} << class_of(size)) > largest_kept)
    (void)heap_.release_local(offset);
  else
    free_[class_of(size)].push_back(offset);
}

}  // namespace weft::coll
