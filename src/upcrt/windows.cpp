// Windows of loops on memory that is not mapped (weft/upcrt/window.h). What a window shows of a thread's memory is a
// list of pieces: objects at equal distances. Per thread, windows whose pieces overlap share one copy.
#include "upcrt/windows.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/upcrt/library.h"
#include "weft/upcrt/window.h"
#include "weft/vis.h"

namespace weft::upcrt {
namespace {

// `count` objects of `size` bytes, `stride` bytes from one to the next, in one thread's segment.
struct Piece {
  weft_rank_t thread;
  uint64_t offset;
  uint64_t size;
  uint64_t count;
  uint64_t stride;

  uint64_t end() const { return offset + (count - 1) * stride + size; }

  // Joins one that follows at the same distance, if it is alone.
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

// The part of a thread's memory that a window shows.
struct Extent {
  weft_rank_t thread;
  int window;
  uint64_t begin, end;
  size_t copy;
};

// A copy of a part of a thread's memory.
struct Copy {
  weft_rank_t thread;
  uint64_t begin, end;
  bool read = false;   // some window on it is read
  bool whole = false;  // fetched in one operation
  size_t wanted = 0;   // bytes that windows read, counted once for each window
  char* at = nullptr;  // where `begin` is
};

constexpr uint64_t kLine = 64;
// Used bytes of a window: larger ones gain little, and leave the second-level cache (docs/PERFORMANCE.md).
constexpr uint64_t kLargestStrip = 128 << 10;
// ... and the first ones of a window that the loop may not look through.
constexpr uint64_t kSmallestStrip = 2 << 10;
// What a loop inside accesses in all its iterations. More than that is for its own windows.
constexpr uint64_t kLargestIteration = 1 << 20;
// From the first byte to the last. Most of it is address space only.
constexpr uint64_t kLargestExtent = 16 << 20;
// Objects that lie apart in blocks are pieces of their own.
constexpr uint64_t kMostPieces = 4096;
// Elements that lie this close are read with what is between them.
constexpr uint64_t kNear = 4;
constexpr uint64_t kSmallCopy = 512;

}  // namespace

struct OpenWindows {
  OpenWindows* outer = nullptr;
  const upcr_window_t* windows = nullptr;
  std::vector<Piece> pieces;        // of all windows, one after the other, on memory that is not mapped
  std::vector<size_t> first_piece;  // of each window
  std::vector<Extent> extents;
  std::vector<Copy> copies;
  std::vector<weft_handle_t> handles;
  std::unique_ptr<char*[]> bases;  // of each window, one per thread
  size_t bases_size = 0;
  std::unique_ptr<char[], decltype(&std::free)> memory{nullptr, std::free};
  size_t memory_size = 0;
};

thread_local OpenWindows* innermost_windows = nullptr;

namespace {

// Those not in use, by how deep they nest.
struct Stack {
  std::vector<std::unique_ptr<OpenWindows>> all;
  size_t open = 0;
};
thread_local Stack stack;

char* base_of(weft_rank_t thread) { return static_cast<char*>(weft_pointer(thread, 0)); }

// Whether the object is one that a thread can have: what a loop may not access can lie anywhere.
bool is_somewhere(const State& state, const upcr_window_t& window) { return thread_of(window.first) < state.threads; }

bool is_repeated(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_REPEATED) != 0; }
bool is_shown_outside(const upcr_window_t& window) { return window.outer != nullptr && window.outer->base != nullptr; }

// Elements that one iteration accesses.
uint64_t elements_of(const upcr_window_t& window) {
  if (window.inner_count <= 0) return 0;
  return window.inner_step == 0 ? 1 : static_cast<uint64_t>(window.inner_count);
}

// Whether all that a window shows lies in one thread's memory that is mapped.
bool is_mapped(const State& state, const upcr_window_t& window) {
  const auto stays = [&](int64_t step) {
    return window.block == 0 || step == 0 || (window.block == 1 && step % static_cast<int64_t>(state.threads) == 0);
  };
  return stays(window.step) && stays(window.inner_step) && base_of(thread_of(window.first)) != nullptr;
}

// How many iterations a window allows: 0 if one is too many.
long strip_of(const State& state, const upcr_window_t& window, long iterations, uint64_t strips) {
  const uint64_t each = elements_of(window);
  const uint64_t size = window.element_size;
  if (each == 0 || size == 0 || is_shown_outside(window) || !is_somewhere(state, window)) return iterations;
  if (is_mapped(state, window)) return iterations;
  const auto step = static_cast<uint64_t>(std::abs(window.step));
  const auto inner_step = static_cast<uint64_t>(std::abs(window.inner_step));
  if (is_repeated(window) && (each * size > kLargestIteration || inner_step * each > kLargestExtent)) return 0;
  if (step == 0) return iterations;
  const uint64_t used = (window.flags & UPCR_WINDOW_CERTAIN) != 0
                            ? kLargestStrip
                            : std::min(kLargestStrip, kSmallestStrip << std::min<uint64_t>(strips, 16));
  uint64_t most = std::min(used / (each * size), kLargestExtent / (step * size));
  if (window.block > 1 && step > kNear) most = std::min(most, kMostPieces / each);
  return std::min(iterations, static_cast<long>(std::max<uint64_t>(most, 1)));
}

// Adds what lies where objects can be: one that the loop may not access can lie outside.
void add_clipped(std::vector<Piece>& pieces, Piece piece, uint64_t segment) {
  const bool dense = piece.count == 1;
  const int64_t missing = static_cast<int64_t>(UPCR_STATIC_BASE) - static_cast<int64_t>(piece.offset);
  const auto before = static_cast<uint64_t>(std::max<int64_t>(missing, 0));
  if (before != 0 && dense) {
    if (before >= piece.size) return;
    piece.offset += before;
    piece.size -= before;
  } else if (before != 0) {
    const uint64_t skipped = (before + piece.stride - 1) / piece.stride;
    if (skipped >= piece.count) return;
    piece.offset += skipped * piece.stride;
    piece.count -= skipped;
  }
  if (piece.offset + piece.size > segment) {
    if (!dense || piece.offset >= segment) return;
    piece.size = segment - piece.offset;
  }
  if (piece.end() > segment) piece.count = (segment - piece.size - piece.offset) / piece.stride + 1;
  pieces.push_back(piece);
}

// Adds the pieces of one window.
class Pieces {
 public:
  Pieces(const State& state, const upcr_window_t& window, std::vector<Piece>& pieces, char** bases)
      : window_(window), threads_(state.threads), pieces_(pieces), first_(pieces.size()), bases_(bases) {}

  // What it shows in `iterations` iterations.
  void add(long iterations) {
    const auto size = window_.element_size;
    upcr_pts_t first = window_.first;
    Run inner{window_.inner_step, static_cast<uint64_t>(std::max<int64_t>(window_.inner_count, 0))};
    Run outer{window_.step, static_cast<uint64_t>(iterations)};
    if (inner.count == 0) return;
    for (Run* run : {&inner, &outer}) {
      if (run->step == 0) run->count = 1;
      if (run->step >= 0) continue;
      first = upcr_add(first, run->step * static_cast<int64_t>(run->count - 1), window_.block, size);
      run->step = -run->step;
    }
    if (inner.step > outer.step || inner.count == 1) std::swap(inner, outer);
    const bool reads_only = (window_.flags & UPCR_WINDOW_WRITTEN) == 0;
    const uint64_t length = (inner.count - 1) * static_cast<uint64_t>(inner.step) + 1;  // of a line, in elements
    if (outer.count == 1) return line(first, inner);
    if (outer.step == inner.step * static_cast<int64_t>(inner.count))
      return line(first, {inner.step, inner.count * outer.count});
    if (reads_only && inner.step == 1 && 2 * length >= static_cast<uint64_t>(outer.step))
      return line(first, {1, (outer.count - 1) * static_cast<uint64_t>(outer.step) + length});
    for (uint64_t k = 0; k < outer.count; ++k) {
      line(first, inner);
      first = upcr_add(first, outer.step, window_.block, size);
    }
  }

 private:
  struct Run {
    int64_t step;
    uint64_t count;
  };

  // Objects in one thread's memory. If it is mapped, the window shows it as it is.
  void one_thread(upcr_pts_t first, uint64_t count, uint64_t elements_apart) {
    if (char* const base = base_of(thread_of(first)); base != nullptr) {
      bases_[thread_of(first)] = base;
      return;
    }
    const uint64_t size = window_.element_size;
    Piece piece{thread_of(first), first.offset, size, count, elements_apart * size};
    if (elements_apart == 1 || count == 1) piece = {piece.thread, piece.offset, size * count, 1, 0};
    if (pieces_.size() > first_ && pieces_.back().takes(piece)) return;
    if ((window_.flags & UPCR_WINDOW_CERTAIN) != 0)
      pieces_.push_back(piece);
    else
      add_clipped(pieces_, piece, weft_segment_size());
  }

  // Objects at equal distances in the array, forward.
  void line(upcr_pts_t first, Run run) {
    const uint64_t size = window_.element_size;
    const uint64_t block = window_.block;
    uint64_t count = run.count;
    auto apart = static_cast<uint64_t>(run.step);
    if (count == 1) return one_thread(first, 1, 1);
    if (block > 1 && apart > 1 && apart <= kNear && (window_.flags & UPCR_WINDOW_WRITTEN) == 0) {
      count = (count - 1) * apart + 1;
      apart = 1;
    }
    if (block == 0) return one_thread(first, count, apart);
    if (block == 1) {
      // It comes back to a thread after `period` iterations.
      const uint64_t common = std::gcd(apart, threads_);
      const uint64_t period = threads_ / common;
      for (uint64_t k = 0; k < std::min(period, count); ++k) {
        one_thread(upcr_add_cyclic(first, static_cast<int64_t>(k * apart), size), (count - k + period - 1) / period,
                   apart / common);
      }
      return;
    }
    if (apart == 1) {
      // Per thread, the parts of its blocks are neighbours.
      const uint64_t phase = upcr_phase(first);
      const uint64_t last_block = (phase + count - 1) / block;
      for (uint64_t b = 0; b < std::min(threads_, last_block + 1); ++b) {
        const uint64_t last = last_block - (last_block - b) % threads_;
        const uint64_t begin = b == 0 ? phase : 0;
        const uint64_t end = last == last_block ? (phase + count - 1) % block + 1 : block;
        const auto to_begin = static_cast<int64_t>(b * block + begin - phase);
        one_thread(upcr_add_blocked(first, to_begin, block, size), (last - b) / threads_ * block + end - begin, 1);
      }
      return;
    }
    while (count > 0) {
      const uint64_t here = std::min(count, (block - 1 - upcr_phase(first)) / apart + 1);
      one_thread(first, here, apart);
      first = upcr_add_blocked(first, static_cast<int64_t>(here * apart), block, size);
      count -= here;
    }
  }

  const upcr_window_t& window_;
  uint64_t threads_;
  std::vector<Piece>& pieces_;
  size_t first_;
  char** bases_;
};

// Calls f(offset, bytes) for the parts of a piece in [begin, end).
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

// The copy that shows a piece of a window.
const Copy& copy_of(const OpenWindows& open, int window, const Piece& piece) {
  const auto extent = std::find_if(open.extents.begin(), open.extents.end(),
                                   [&](const Extent& e) { return e.window == window && e.thread == piece.thread; });
  return open.copies[extent->copy];
}

template <typename F>
void for_each_piece(const OpenWindows& open, int count, const F& f) {
  for (int w = 0; w < count; ++w) {
    for (size_t i = open.first_piece[static_cast<size_t>(w)]; i < open.first_piece[static_cast<size_t>(w) + 1]; ++i)
      f(w, open.pieces[i]);
  }
}

int windows_of(const OpenWindows& open) { return static_cast<int>(open.first_piece.size()) - 1; }

// One extent per window and thread; overlapping ones share a copy.
void plan_copies(OpenWindows& open) {
  open.extents.clear();
  open.copies.clear();
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    const auto same = std::find_if(open.extents.rbegin(), open.extents.rend(),
                                   [&](const Extent& e) { return e.window == w && e.thread == piece.thread; });
    if (same == open.extents.rend()) {
      open.extents.push_back({piece.thread, w, piece.offset, piece.end(), 0});
    } else {
      same->begin = std::min(same->begin, piece.offset);
      same->end = std::max(same->end, piece.end());
    }
  });
  std::sort(open.extents.begin(), open.extents.end(), [](const Extent& a, const Extent& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.begin < b.begin;
  });
  for (Extent& extent : open.extents) {
    if (open.copies.empty() || open.copies.back().thread != extent.thread ||
        open.copies.back().end + kLine < extent.begin) {
      open.copies.push_back({.thread = extent.thread, .begin = extent.begin, .end = extent.end});
    }
    Copy& copy = open.copies.back();
    copy.end = std::max(copy.end, extent.end);
    copy.read = copy.read || (open.windows[extent.window].flags & UPCR_WINDOW_READ) != 0;
    extent.copy = open.copies.size() - 1;
  }
}

// Memory for the copies. An object is aligned there as it is in its segment.
void place_copies(OpenWindows& open) {
  size_t total = 0;
  for (const Copy& copy : open.copies) total += (copy.end - copy.begin + 2 * kLine) / kLine * kLine;
  if (total > open.memory_size) {
    open.memory_size = std::max(total, 2 * open.memory_size);
    open.memory.reset(static_cast<char*>(std::aligned_alloc(kLine, open.memory_size)));
    if (open.memory == nullptr) fail({}, "no memory for a copy of %zu bytes of shared memory", open.memory_size);
  }
  char* at = open.memory.get();
  for (Copy& copy : open.copies) {
    copy.at = at + copy.begin % kLine;
    at += (copy.end - copy.begin + 2 * kLine) / kLine * kLine;
  }
}

// A table for each window: one that is not used has no pieces.
void make_bases(OpenWindows& open, int count, size_t threads) {
  const size_t needed = threads * static_cast<size_t>(count);
  if (needed <= open.bases_size) return;
  open.bases = std::make_unique<char*[]>(needed);
  open.bases_size = needed;
}

void set_bases(OpenWindows& open, size_t threads) {
  for (const Extent& extent : open.extents) {
    const Copy& copy = open.copies[extent.copy];
    open.bases[threads * static_cast<size_t>(extent.window) + extent.thread] =
        reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(copy.at) - copy.begin);
  }
}

void wait(OpenWindows& open) {
  (void)weft_handle_wait_all(open.handles.data(), open.handles.size());
  open.handles.clear();
}

void fetch(OpenWindows& open) {
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    if ((open.windows[w].flags & UPCR_WINDOW_READ) == 0) return;
    const_cast<Copy&>(copy_of(open, w, piece)).wanted += piece.size * piece.count;
  });
  for (Copy& copy : open.copies) {
    const uint64_t size = copy.end - copy.begin;
    copy.whole = copy.read && (copy.wanted * 2 >= size || size <= kSmallCopy);
    if (!copy.whole) continue;
    (void)weft_get_nb(copy.at, copy.thread, copy.begin, size, 0, &open.handles.emplace_back());
  }
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    const Copy& copy = copy_of(open, w, piece);
    if (copy.whole || (open.windows[w].flags & UPCR_WINDOW_READ) == 0) return;
    const auto stride = static_cast<ptrdiff_t>(piece.stride);
    (void)weft_get_strided_nb(copy.at + (piece.offset - copy.begin), &stride, piece.thread, piece.offset, &stride,
                              piece.size, &piece.count, 1, 0, &open.handles.emplace_back());
  });
  wait(open);
}

void write_back(OpenWindows& open) {
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    if ((open.windows[w].flags & UPCR_WINDOW_WRITTEN) == 0) return;
    const Copy& copy = copy_of(open, w, piece);
    const char* from = copy.at + (piece.offset - copy.begin);
    upcr_place(open.windows[w].file, open.windows[w].line);
    if (piece.count == 1) {
      (void)weft_put_nb(piece.thread, piece.offset, from, piece.size, 0, &open.handles.emplace_back());
      return;
    }
    const auto stride = static_cast<ptrdiff_t>(piece.stride);
    (void)weft_put_strided_nb(piece.thread, piece.offset, &stride, from, &stride, piece.size, &piece.count, 1, 0,
                              &open.handles.emplace_back());
  });
  wait(open);
}

}  // namespace

void see_through_windows(void* to, upcr_pts_t from, size_t size) {
  for (const OpenWindows* open = innermost_windows; open != nullptr; open = open->outer) {
    for_each_piece(*open, windows_of(*open), [&](int w, const Piece& piece) {
      if (piece.thread != thread_of(from) || (open->windows[w].flags & UPCR_WINDOW_WRITTEN) == 0) return;
      for_each_part(piece, from.offset, from.offset + size, [&](uint64_t offset, uint64_t bytes) {
        const Copy& copy = copy_of(*open, w, piece);
        std::memcpy(static_cast<char*>(to) + (offset - from.offset), copy.at + (offset - copy.begin), bytes);
      });
    });
  }
}

void show_windows(upcr_pts_t to, const void* from, size_t size) {
  for (OpenWindows* open = innermost_windows; open != nullptr; open = open->outer) {
    for (const Copy& copy : open->copies) {
      if (copy.thread != thread_of(to)) continue;
      const uint64_t begin = std::max(copy.begin, to.offset);
      const uint64_t end = std::min(copy.end, to.offset + size);
      if (begin >= end) continue;
      std::memcpy(copy.at + (begin - copy.begin), static_cast<const char*>(from) + (begin - to.offset), end - begin);
    }
  }
}

}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

long upcr_windows_open(upcr_windows_t* loop, upcr_window_t* windows, int count, long iterations) {
  const State& state = self();
  loop->open = 0;
  for (int w = 0; w < count; ++w) {
    if (is_shown_outside(windows[w]))
      windows[w].base = windows[w].outer->base;
    else
      loop->open = 1;
  }
  if (loop->open == 0) return iterations;
  bool too_much = false;
  for (int w = 0; w < count; ++w) {
    const long strip = strip_of(state, windows[w], iterations, loop->strips);
    too_much = too_much || strip == 0;
    if (strip != 0) iterations = strip;
  }
  ++loop->strips;
  if (stack.open == stack.all.size()) stack.all.push_back(std::make_unique<OpenWindows>());
  OpenWindows& open = *stack.all[stack.open++];
  open.windows = windows;
  make_bases(open, count, state.threads);
  open.pieces.clear();
  open.first_piece.assign(1, 0);
  for (int w = 0; w < count; ++w) {
    upcr_window_t& window = windows[w];
    const bool opens = !is_shown_outside(window) && !(too_much && is_repeated(window));
    if (opens) {
      char** const bases = open.bases.get() + state.threads * static_cast<size_t>(w);
      window.base = bases;
      upcr_place(window.file, window.line);
      if (is_somewhere(state, window))
        Pieces(state, window, open.pieces, bases).add(iterations);
      else if ((window.flags & UPCR_WINDOW_CERTAIN) != 0)
        upcr_get_slow(nullptr, window.first, window.element_size, window.file, window.line);
    }
    open.first_piece.push_back(open.pieces.size());
  }
  plan_copies(open);
  place_copies(open);
  set_bases(open, state.threads);
  fetch(open);
  open.outer = innermost_windows;
  innermost_windows = &open;
  return iterations;
}

void upcr_windows_close(upcr_windows_t* loop) {
  if (loop->open == 0) return;
  OpenWindows& open = *innermost_windows;
  write_back(open);
  innermost_windows = open.outer;
  --stack.open;
}

}  // extern "C"
