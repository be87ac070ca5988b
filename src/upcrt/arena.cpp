#include "upcrt/arena.hpp"

#include <iterator>

namespace weft::upcrt {
namespace {
constexpr uint64_t align_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }
}  // namespace

void Arena::add(uint64_t start, uint64_t size) {
  free_bytes_ += size;
  auto next = ranges_.lower_bound(start);
  if (next != ranges_.end() && next->first == start + size) {
    size += next->second;
    auto gone = next++;
    erase(gone);
  }
  if (next != ranges_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == start) {
      start = before->first;
      size += before->second;
      erase(before);
    }
  }
  insert(start, size);
}

void Arena::release(uint64_t start, uint64_t size) {
  if (size > most_small) return add(start, size);
  free_bytes_ += size;
  small_[size / granule].push_back(start);
}

bool Arena::allocate(uint64_t size, uint64_t header, uint64_t alignment, uint64_t& start) {
  if (size <= most_small && !small_[size / granule].empty()) {
    std::vector<uint64_t>& blocks = small_[size / granule];
    start = blocks.back();
    if ((start + header) % alignment == 0) {
      blocks.pop_back();
      free_bytes_ -= size;
      return true;
    }
  }
  if (take(size, header, alignment, start)) return true;
  flush();
  return take(size, header, alignment, start);
}

bool Arena::take(uint64_t size, uint64_t header, uint64_t alignment, uint64_t& start) {
  for (auto candidate = by_size_.lower_bound({size, 0}); candidate != by_size_.end(); ++candidate) {
    const auto [length, first] = *candidate;
    start = align_up(first + header, alignment) - header;
    if (start + size > first + length) continue;
    erase(ranges_.find(first));
    if (start > first) insert(first, start - first);
    if (first + length > start + size) insert(start + size, first + length - (start + size));
    free_bytes_ -= size;
    return true;
  }
  return false;
}

void Arena::insert(uint64_t start, uint64_t size) {
  ranges_[start] = size;
  by_size_.insert({size, start});
}

void Arena::erase(std::map<uint64_t, uint64_t>::iterator range) {
  by_size_.erase({range->second, range->first});
  ranges_.erase(range);
}

uint64_t Arena::free_before(uint64_t end) const {
  const auto next = ranges_.lower_bound(end);
  if (next == ranges_.begin()) return 0;
  const auto [start, size] = *std::prev(next);
  return start + size == end ? size : 0;
}

uint64_t Arena::free_from(uint64_t start) const {
  const auto found = ranges_.find(start);
  return found == ranges_.end() ? 0 : found->second;
}

void Arena::remove(uint64_t start, uint64_t size) {
  const auto range = std::prev(ranges_.upper_bound(start));
  const auto [first, length] = *range;
  erase(range);
  free_bytes_ -= size;
  if (start > first) insert(first, start - first);
  if (first + length > start + size) insert(start + size, first + length - (start + size));
}

// Small blocks become ordinary free ranges again, so that they can merge.
void Arena::flush() {
  for (size_t i = 0; i < classes; ++i) {
    for (uint64_t start : small_[i]) {
      free_bytes_ -= i * granule;  // add() counts them again
      add(start, i * granule);
    }
    small_[i].clear();
  }
}

}  // namespace weft::upcrt
