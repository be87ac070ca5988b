#include "weft/segment.h"

#include <algorithm>

#include "capi/state.hpp"
#include "os/dataless.hpp"
#include "os/shared_memory.hpp"

using namespace weft::capi;

namespace {

// Memory that is freed has data again (weft_sim_drop_data).
void restore_data(const RankState& rank, size_t offset) {
  if (weft::os::Dataless::any()) (void)weft::os::Dataless::remove(rank.core->conduit().segment() + offset);
}

}  // namespace

extern "C" {

void* weft_segment_base(void) { return enter_anywhere("weft_segment_base").rank->core->conduit().segment(); }

int weft_alloc_symmetric(size_t size, size_t alignment, size_t* offset) {
  Thread& thread = enter("weft_alloc_symmetric");
  check_pointer("weft_alloc_symmetric", offset, "pointer to the offset");
  RankState& rank = *thread.rank;
  if (rank.check) return rank.call_checks.symmetric.allocate(size, alignment, *offset).code();
  return rank.core->heap().allocate_symmetric(size, alignment, *offset).code();
}

int weft_free_symmetric(size_t offset) {
  Thread& thread = enter("weft_free_symmetric");
  RankState& rank = *thread.rank;
  restore_data(rank, offset);
  if (!(rank.check ? rank.call_checks.symmetric.release(offset) : rank.core->heap().release_symmetric(offset)).ok())
    misuse("weft_free_symmetric: nothing was allocated at offset %zu, or it has been freed already", offset);
  return WEFT_OK;
}

int weft_alloc(size_t size, size_t alignment, size_t* offset) {
  Thread& thread = enter("weft_alloc");
  check_pointer("weft_alloc", offset, "pointer to the offset");
  return thread.rank->core->heap().allocate_local(size, alignment, *offset).code();
}

int weft_free(size_t offset) {
  Thread& thread = enter("weft_free");
  weft::core::SegmentHeap& heap = thread.rank->core->heap();
  restore_data(*thread.rank, offset);
  if (heap.release_local(offset).ok()) return WEFT_OK;
  weft::core::Block block;
  if (heap.find(offset, block) == weft::core::SegmentHeap::Where::symmetric)
    misuse("weft_free: offset %zu lies in symmetric memory; weft_free_symmetric frees that", offset);
  misuse("weft_free: nothing was allocated at offset %zu, or it has been freed already", offset);
}

int weft_segment_commit(size_t offset, size_t size) {
  Thread& thread = enter("weft_segment_commit");
  if (offset > thread.context.segment_size || size > thread.context.segment_size - offset)
    misuse("weft_segment_commit: %zu bytes at offset %zu reach past the end of the segment, which has %zu bytes", size,
           offset, thread.context.segment_size);
  check_bounds(thread, "weft_segment_commit", thread.context.rank, offset, size);
  // The runtime's own part of the segment is none to commit, and may be inaccessible.
  const size_t first = std::max(offset, weft::core::ControlArea::bytes);
  const size_t end = offset + size;
  if (weft::os::Dataless::holds(thread.rank->core->conduit().segment() + first)) return WEFT_OK;
  if (end > first)
    weft::os::commit_memory(thread.rank->core->conduit().segment() + first, end - first,
                            thread.rank->core->settings().huge_pages);
  return WEFT_OK;
}

void* weft_pointer(weft_rank_t peer, size_t offset) {
  Thread& thread = enter_anywhere("weft_pointer");
  check_bounds(thread, "weft_pointer", peer, offset, 0);
  std::byte* base = thread.rank->core->conduit().mapped(peer);
  return base ? base + offset : nullptr;
}

size_t weft_offset(const void* pointer) {
  Thread& thread = enter_anywhere("weft_offset");
  const auto* base = thread.rank->core->conduit().segment();
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(pointer) - base);
  if (thread.rank->check && offset >= thread.context.segment_size)
    misuse("weft_offset: %p does not point into this rank's segment", pointer);
  return offset;
}

}  // extern "C"
