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
constexpr uint64_t kLargestExtent = 4 << 20;
// Objects that lie apart in blocks are pieces of their own.
constexpr long kMostPieces = 4096;
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

// How many iterations a window allows.
long strip_of(const State& state, const upcr_window_t& window, long iterations, uint64_t strips) {
  const uint64_t step = static_cast<uint64_t>(std::abs(window.step));
  if (step == 0 || window.element_size == 0 || !is_somewhere(state, window)) return iterations;
  const bool one_thread = window.block == 0 || (window.block == 1 && step % state.threads == 0);
  if (one_thread && base_of(thread_of(window.first)) != nullptr) return iterations;
  const uint64_t used = (window.flags & UPCR_WINDOW_CERTAIN) != 0
                            ? kLargestStrip
                            : std::min(kLargestStrip, kSmallestStrip << std::min<uint64_t>(strips, 16));
  const uint64_t apart = window.block == 0 || one_thread
                             ? step * window.element_size / (one_thread && window.block == 1 ? state.threads : 1)
                             : step * window.element_size;
  uint64_t most = std::min(used / window.element_size, kLargestExtent / apart);
  if (window.block > 1 && step > kNear) most = std::min<uint64_t>(most, kMostPieces);
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

// What a window shows in `iterations` iterations. Threads whose memory is mapped get their base instead.
void add_pieces(const State& state, const upcr_window_t& window, long iterations, std::vector<Piece>& pieces,
                char** bases) {
  const uint64_t size = window.element_size;
  const uint64_t block = window.block;
  const uint64_t threads = state.threads;
  const bool certain = (window.flags & UPCR_WINDOW_CERTAIN) != 0;
  const auto add = [&](upcr_pts_t first, uint64_t count, uint64_t elements_apart) {
    if (char* const base = base_of(thread_of(first)); base != nullptr) {
      bases[thread_of(first)] = base;
      return;
    }
    Piece piece{thread_of(first), first.offset, size, count, elements_apart * size};
    if (elements_apart == 1) piece = {piece.thread, piece.offset, size * count, 1, 0};
    if (certain)
      pieces.push_back(piece);
    else
      add_clipped(pieces, piece, weft_segment_size());
  };
  upcr_pts_t first = window.first;
  auto count = static_cast<uint64_t>(iterations);
  int64_t step = window.step;
  if (step < 0) {
    first = upcr_add(first, step * (iterations - 1), block, size);
    step = -step;
  }
  auto apart = static_cast<uint64_t>(step);
  if (apart == 0) return add(first, 1, 1);
  const bool reads_only = (window.flags & UPCR_WINDOW_WRITTEN) == 0;
  if (block > 1 && apart > 1 && apart <= kNear && reads_only) {
    count = (count - 1) * apart + 1;
    apart = 1;
  }
  if (block == 0) return add(first, count, apart);
  if (block == 1) {
    // It comes back to a thread after `period` iterations.
    const uint64_t common = std::gcd(apart, threads);
    const uint64_t period = threads / common;
    for (uint64_t k = 0; k < std::min(period, count); ++k)
      add(upcr_add_cyclic(first, static_cast<int64_t>(k * apart), size), (count - k + period - 1) / period,
          apart / common);
    return;
  }
  if (apart == 1) {
    // Per thread, the parts of its blocks are neighbours.
    const uint64_t phase = upcr_phase(first);
    const uint64_t last_block = (phase + count - 1) / block;
    for (uint64_t b = 0; b < std::min(threads, last_block + 1); ++b) {
      const uint64_t last = last_block - (last_block - b) % threads;
      const uint64_t begin = b == 0 ? phase : 0;
      const uint64_t end = last == last_block ? (phase + count - 1) % block + 1 : block;
      const auto to_begin = static_cast<int64_t>(b * block + begin - phase);
      add(upcr_add_blocked(first, to_begin, block, size), (last - b) / threads * block + end - begin, 1);
    }
    return;
  }
  while (count > 0) {
    const uint64_t here = std::min(count, (block - 1 - upcr_phase(first)) / apart + 1);
    add(first, here, apart);
    first = upcr_add_blocked(first, static_cast<int64_t>(here * apart), block, size);
    count -= here;
  }
}

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

void make_bases(OpenWindows& open, upcr_window_t* windows, int count, size_t threads) {
  const size_t needed = threads * static_cast<size_t>(count);
  if (needed > open.bases_size) {
    open.bases = std::make_unique<char*[]>(needed);
    open.bases_size = needed;
  }
  for (int w = 0; w < count; ++w) windows[w].base = open.bases.get() + threads * static_cast<size_t>(w);
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
  for (int w = 0; w < count; ++w) iterations = strip_of(state, windows[w], iterations, loop->strips);
  ++loop->strips;
  if (stack.open == stack.all.size()) stack.all.push_back(std::make_unique<OpenWindows>());
  OpenWindows& open = *stack.all[stack.open++];
  open.windows = windows;
  make_bases(open, windows, count, state.threads);
  open.pieces.clear();
  open.first_piece.assign(1, 0);
  for (int w = 0; w < count; ++w) {
    upcr_place(windows[w].file, windows[w].line);
    if (is_somewhere(state, windows[w]))
      add_pieces(state, windows[w], iterations, open.pieces, open.bases.get() + state.threads * static_cast<size_t>(w));
    else if ((windows[w].flags & UPCR_WINDOW_CERTAIN) != 0)
      upcr_get_slow(nullptr, windows[w].first, windows[w].element_size, windows[w].file, windows[w].line);
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

void upcr_windows_close(upcr_windows_t* /*loop*/) {
  OpenWindows& open = *innermost_windows;
  write_back(open);
  innermost_windows = open.outer;
  --stack.open;
}

}  // extern "C"
