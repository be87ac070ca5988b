// What a window shows of each thread's memory, as pieces: objects at equal distances (weft/upcrt/window.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upcrt/state.hpp"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/upcrt/window.h"

namespace weft::upcrt {

/// Elements that lie this close are read with what is between them.
inline constexpr uint64_t kNear = 4;

/// `count` objects of `size` bytes, `stride` bytes from one to the next, in one thread's segment.
struct Piece {
  weft_rank_t thread;
  uint64_t offset;
  uint64_t size;
  uint64_t count;
  uint64_t stride;
  size_t copy = 0;  // that shows it

  uint64_t end() const { return offset + (count - 1) * stride + size; }

  /// Joins one that follows at the same distance, if it is alone.
  bool takes(const Piece& next) {
    if (next.thread != thread || next.count != 1 || next.offset <= offset) return false;
    if (count == 1 && next.offset == offset + size) {
      size += next.size;
      return true;
    }
    if (next.size != size || (count > 1 && next.offset != offset + count * stride)) return false;
    if (count == 1 && next.offset < offset + size) return false;
    stride = count == 1 ? next.offset - offset : stride;
    ++count;
    return true;
  }
};

/// Waits for all of them.
inline void complete(std::vector<weft_handle_t>& handles) {
  (void)weft_handle_wait_all(handles.data(), handles.size());
  handles.clear();
}

/// Where a thread's segment is mapped here, or null.
inline char* base_of(weft_rank_t thread) { return static_cast<char*>(weft_pointer(thread, 0)); }

/// Adds the pieces of a window in `iterations` iterations. Threads whose memory is mapped have none, but their base.
void add_pieces(std::vector<Piece>& pieces, char** bases, const upcr_window_t& window, long iterations,
                uint64_t threads);

/// Whether p can be to an object: neither null nor of a thread that there is not.
inline bool may_be_object(const State& state, upcr_pts_t p) {
  return upcr_thread(p) < state.threads && p.offset >= UPCR_STATIC_BASE;
}

/// Ends the job with a line: what a loop is certain to access is no object.
[[noreturn]] void refuse_object(bool written, upcr_pts_t place, uint64_t size, Place where);

/// Calls f(offset, bytes) for the parts of a piece in [begin, end).
template <typename F>
void for_each_part(const Piece& piece, uint64_t begin, uint64_t end, const F& f) {
  if (piece.end() <= begin || piece.offset >= end) return;
  uint64_t k = 0;
  if (piece.count > 1 && piece.offset + piece.size <= begin) k = (begin - piece.offset - piece.size) / piece.stride + 1;
  for (; k < piece.count; ++k) {
    const uint64_t at = piece.offset + k * piece.stride;
    if (at >= end) return;
    const uint64_t from = std::max(at, begin);
    const uint64_t to = std::min(at + piece.size, end);
    if (from < to) f(from, to - from);
  }
}

}  // namespace weft::upcrt
