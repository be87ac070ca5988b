#include "core/heap.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/log.hpp"

namespace weft::core {
namespace {
// Allocations do not share cache lines.
constexpr size_t granule = 64;

constexpr size_t align_up(size_t value, size_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }
}  // namespace

bool Arena::allocate(size_t size, size_t alignment, size_t limit, size_t& position) {
  // Best fit: the smallest free range that holds the aligned request; the lowest of equals, so ranks agree.
  auto best = free_.end();
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    size_t start = align_up(range->first, alignment);
    if (start + size > range->first + range->second) continue;
    if (best == free_.end() || range->second < best->second) best = range;
  }
  if (best != free_.end()) {
    auto [start, length] = *best;
    position = align_up(start, alignment);
    free_.erase(best);
    if (position > start) free_[start] = position - start;
    size_t rest = start + length - (position + size);
    if (rest > 0) free_[position + size] = rest;
  } else {
    position = align_up(top_, alignment);
    if (position + size < position || position + size > limit) return false;
    if (position > top_) add_free(top_, position - top_);
    top_ = position + size;
    highest_ = std::max(highest_, top_);
  }
  allocated_[position] = size;
  return true;
}

bool Arena::release(size_t position) {
  auto found = allocated_.find(position);
  if (found == allocated_.end()) return false;
  add_free(position, found->second);
  allocated_.erase(found);
  // Trailing free space goes back to the middle, where the other arena may use it.
  if (!free_.empty()) {
    auto last = std::prev(free_.end());
    if (last->first + last->second == top_) {
      top_ = last->first;
      free_.erase(last);
    }
  }
  return true;
}

void Arena::add_free(size_t position, size_t size) {
  auto next = free_.lower_bound(position);
  if (next != free_.end() && position + size == next->first) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == position) {
      before->second += size;
      return;
    }
  }
  free_[position] = size;
}

Status SegmentHeap::check_request(size_t& size, size_t& alignment) const {
  if (alignment == 0) alignment = granule;
  // An offset counted from the far end is aligned only as far as the segment's size is.
  const size_t most = size_ & (~size_ + 1);
  if (!std::has_single_bit(alignment) || alignment > most) {
    base::log_error("an alignment of %zu was asked for; it must be a power of two up to %zu, or 0 for %zu", alignment,
                    most, granule);
    return WEFT_ERR_INVALID;
  }
  if (alignment < granule) alignment = granule;
  if (size > size_) return exhausted("", size);
  size = size == 0 ? granule : align_up(size, granule);
  return {};
}

Status SegmentHeap::exhausted(const char* kind, size_t size) const {
  if (silent_) return WEFT_ERR_NO_MEMORY;
  base::log_error(
      "the segment is full: %zu bytes of %smemory were asked for, %zu of %zu are left; raise "
      "WEFT_SEGMENT_SIZE",
      size, kind, size_ - low_.top() - high_.top(), size_);
  return WEFT_ERR_NO_MEMORY;
}

Status SegmentHeap::allocate_symmetric(size_t size, size_t alignment, size_t& offset) {
  std::lock_guard guard(lock_);
  const size_t asked = size;
  Status status = check_request(size, alignment);
  if (!status.ok()) return status;
  size_t position = 0;
  if (!low_.allocate(size, alignment, size_ - high_.top(), position)) return exhausted("symmetric ", asked);
  offset = position;
  symmetric_[offset] = asked;
  return {};
}

Status SegmentHeap::allocate_local(size_t size, size_t alignment, size_t& offset, size_t* fresh) {
  std::lock_guard guard(lock_);
  const size_t asked = size;
  Status status = check_request(size, alignment);
  if (!status.ok()) return status;
  size = align_up(size, alignment);
  size_t position = 0;
  const size_t lowest = size_ - high_.highest();
  if (!high_.allocate(size, alignment, size_ - low_.top(), position)) return exhausted("local ", asked);
  offset = size_ - position - size;
  local_[offset] = {position, asked};
  if (fresh != nullptr)
    *fresh = offset >= low_.highest() && offset < lowest ? std::min(size, lowest - offset) : size_t{0};
  tell_local_bottom();
  return {};
}

bool SegmentHeap::has_local_room(size_t size, size_t alignment) {
  std::lock_guard guard(lock_);
  if (size > size_) return false;
  size = align_up(size, alignment);
  size_t position = 0;
  if (!high_.allocate(size, alignment, size_ - low_.top(), position)) return false;
  high_.release(position);
  return true;
}

Status SegmentHeap::release_symmetric(size_t offset) {
  std::lock_guard guard(lock_);
  if (!low_.release(offset)) return WEFT_ERR_INVALID;
  symmetric_.erase(offset);
  return {};
}

Status SegmentHeap::release_local(size_t offset) {
  std::lock_guard guard(lock_);
  auto found = local_.find(offset);
  if (found == local_.end()) return WEFT_ERR_INVALID;
  high_.release(found->second.position);
  local_.erase(found);
  tell_local_bottom();
  return {};
}

SegmentHeap::Where SegmentHeap::find(size_t offset, Block& block) {
  std::lock_guard guard(lock_);
  // The last block that starts at or before the offset, if it reaches that far.
  auto reaches = [&](const auto& blocks, auto asked) {
    auto next = blocks.upper_bound(offset);
    if (next == blocks.begin()) return false;
    const auto& [start, value] = *std::prev(next);
    block = {start, asked(value)};
    return offset - start < align_up(std::max<size_t>(block.size, 1), granule);
  };
  if (reaches(symmetric_, [](size_t size) { return size; })) return Where::symmetric;
  if (reaches(local_, [](const LocalBlock& local) { return local.asked; })) return Where::local;
  return Where::nowhere;
}

size_t SegmentHeap::symmetric_top() {
  std::lock_guard guard(lock_);
  return low_.top();
}

void SegmentHeap::publish_local_bottom(std::atomic<uint64_t>& word) {
  std::lock_guard guard(lock_);
  local_bottom_ = &word;
  tell_local_bottom();
}

// release: who learns of new memory from this rank finds the word no higher.
void SegmentHeap::tell_local_bottom() {
  if (local_bottom_ != nullptr) local_bottom_->store(size_ - high_.top(), std::memory_order_release);
}

}  // namespace weft::core
