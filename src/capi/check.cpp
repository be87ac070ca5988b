// Checked mode (WEFT_CHECK=1): what a program may access and call. Each finding ends the job with one line. That a
// range lies outside the segment is noticed without it, too, wherever the library itself does the operation.
//
// Memory. A rank knows its own allocations, and of other ranks' the symmetric ones, which are where its own are. So
// below the end of its symmetric memory an access to another rank must lie in a symmetric block of the caller's. What
// lies above may be the other rank's local memory, of which only the lowest offset is known, and only if the peer is
// mapped. A buffer of the caller's is looked at if it lies in the caller's own segment.
#include <algorithm>
#include <atomic>

#include "capi/state.hpp"

namespace weft::capi {
namespace {

using core::ControlArea;
using Where = core::SegmentHeap::Where;

// Whether the other rank's local memory reaches down to the offset, as far as this rank can tell.
bool may_be_local(const Thread& thread, weft_rank_t peer, size_t offset) {
  std::byte* segment = thread.rank->core->conduit().mapped(peer);
  if (segment == nullptr) return true;
  std::atomic_ref<uint64_t> bottom(*reinterpret_cast<uint64_t*>(segment + ControlArea::local_bottom_offset));
  // acquire: pairs with SegmentHeap's release.
  return offset >= bottom.load(std::memory_order_acquire);
}

void check_live(const Thread& thread, const char* function, weft_rank_t peer, size_t offset, size_t size) {
  if (offset < ControlArea::bytes)
    misuse(
        "%s: %zu bytes at offset %zu of rank %u lie in the runtime's own memory, the first %zu bytes of every segment; "
        "use offsets from weft_alloc_symmetric or weft_alloc",
        function, size, offset, peer, ControlArea::bytes);
  core::SegmentHeap& heap = thread.rank->core->heap();
  core::Block block;
  const Where where = heap.find(offset, block);
  const bool own = peer == thread.context.rank;
  if (where == Where::symmetric || (own && where == Where::local)) {
    if (offset - block.start <= block.size && size <= block.size - (offset - block.start)) return;
    misuse("%s: %zu bytes at offset %zu of rank %u reach past the end of the %zu bytes allocated at offset %zu",
           function, size, offset, peer, block.size, block.start);
  }
  if (!own && offset >= heap.symmetric_top() && may_be_local(thread, peer, offset)) return;
  misuse("%s: %zu bytes at offset %zu of rank %u are not allocated: they never were, or have been freed", function,
         size, offset, peer);
}

}  // namespace

void check_range_now(const Thread& thread, const char* function, weft_rank_t peer, size_t offset, size_t size,
                     bool live) {
  if (peer >= thread.context.size)
    misuse("%s: there is no rank %u; the job has ranks 0 to %u", function, peer, thread.context.size - 1);
  const size_t limit = thread.context.segment_size;
  if (offset > limit || size > limit - offset)
    misuse("%s: %zu bytes at offset %zu of rank %u lie outside its segment of %zu bytes", function, size, offset, peer,
           limit);
  if (live && size != 0) check_live(thread, function, peer, offset, size);
}

void refuse_null(const char* function, const char* what) { misuse("%s: the %s is NULL", function, what); }

void check_local_now(const Thread& thread, const char* function, const void* local, weft_rank_t peer, size_t offset,
                     size_t size) {
  conduit::Conduit& conduit = *thread.conduit;
  const auto start = reinterpret_cast<uintptr_t>(local);
  const auto target = reinterpret_cast<uintptr_t>(conduit.mapped(peer)) + offset;
  // A copy to where it is changes nothing.
  const bool overlap = start != target && start < target + size && target < start + size;
  if (overlap && conduit.mapped(peer) != nullptr)
    misuse("%s: the caller's buffer overlaps the %zu bytes at offset %zu of rank %u", function, size, offset, peer);
  const uintptr_t own = start - reinterpret_cast<uintptr_t>(conduit.segment());
  if (size == 0 || own >= thread.context.segment_size) return;
  core::Block block;
  if (thread.rank->core->heap().find(own, block) == Where::nowhere)
    misuse(
        "%s: the caller's buffer, at offset %zu of its own segment, is not allocated: it never was, or has been "
        "freed",
        function, static_cast<size_t>(own));
  if (size > block.size - std::min(own - block.start, block.size))
    misuse(
        "%s: the caller's buffer, %zu bytes at offset %zu of its own segment, reaches past the end of the %zu bytes "
        "allocated at offset %zu",
        function, size, static_cast<size_t>(own), block.size, block.start);
}

void refuse_flags(const char* function, unsigned flags, const char* known) {
  misuse("%s: flags %#x have bits that this function does not know; it knows %s", function, flags, known);
}

void check_restricted(const Thread& thread, const char* function) {
  if (!thread.rank->check) return;
  switch (thread.restriction) {
    case Restriction::handler:
      if (thread.context.handler == coll::reduction_function)
        misuse("%s was called in the function of a reduction, which only combines elements", function);
      misuse("%s was called in the active-message handler '%s'; a handler only records what is to be done and replies",
             function, thread.context.handler);
    case Restriction::prepared_message:
      misuse(
          "%s was called between %s and weft_am_commit or weft_am_cancel; the thread makes no other call between them",
          function, thread.context.handler);
    case Restriction::second_thread:
      misuse(
          "%s was called by a thread that did not call weft_init_thread with WEFT_THREAD_SINGLE; ask for "
          "WEFT_THREAD_SERIALIZED or WEFT_THREAD_MULTIPLE",
          function);
  }
}

void check_prepared(RankState& rank) {
  int prepared = 0;
  const char* by = nullptr;
  {
    std::lock_guard guard(rank.threads_mutex);
    for (const std::unique_ptr<Thread>& thread : rank.threads) {
      prepared += thread->prepared;  // another thread may have committed it
      if (thread->prepared > 0) by = thread->prepared_by;
    }
  }
  if (prepared > 0)
    misuse("weft_finalize: a message of %s was neither committed (weft_am_commit) nor cancelled (weft_am_cancel)", by);
}

void check_handles(Thread& thread) {
  const rma::Operation* first = nullptr;
  const size_t count = thread.rank->rma.handles().in_use(first);
  if (count != 0)
    misuse("weft_finalize: %zu handle%s never waited for; the first is of %s", count, count == 1 ? " was" : "s were",
           first->call);
}

}  // namespace weft::capi
