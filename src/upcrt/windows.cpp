// Windows of loops on memory that is not mapped (weft/upcrt/window.h). Per thread, windows whose pieces overlap share
// one copy.
#include "upcrt/windows.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/shadow_loops.hpp"
#include "upcrt/window_pieces.hpp"
#include "weft/rma.h"
#include "weft/segment.h"
#include "weft/upcrt/library.h"
#include "weft/upcrt/window.h"
#include "weft/vis.h"

namespace weft::upcrt {
namespace {

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
  bool whole = false;  // fetched in one operation
  int reader = -1;     // the first window that reads it
  size_t wanted = 0;   // bytes that windows read, counted once for each window
  char* at = nullptr;  // where `begin` is
};

constexpr uint64_t kLine = 64;
// Used bytes of a window: several together fit a second-level cache of 1 MiB.
constexpr uint64_t kLargestStrip = 128 << 10;
// ... and the first ones of a window that the loop may not look through.
constexpr uint64_t kSmallestStrip = 2 << 10;
// What a loop inside accesses in all its iterations. More than that is for its own windows.
constexpr uint64_t kLargestIteration = 1 << 20;
// From the first byte to the last. Most of it is address space only.
constexpr uint64_t kLargestExtent = 16 << 20;
// Objects that lie apart in blocks are pieces of their own.
constexpr uint64_t kMostPieces = 4096;
constexpr uint64_t kSmallCopy = 512;

}  // namespace

struct OpenWindows {
  OpenWindows* outer = nullptr;
  const upcr_window_t* windows = nullptr;
  std::vector<Piece> pieces;        // of all windows, one after the other, on memory that is not mapped
  std::vector<size_t> first_piece;  // of each window
  std::vector<Extent> extents;      // one per window and thread
  std::vector<Extent*> by_place;
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
constinit thread_local OfThread<Stack> stack;

// Whether the object is one that a thread can have: what a loop may not access can lie anywhere.
bool is_somewhere(const State& state, const upcr_window_t& window) { return thread_of(window.first) < state.threads; }

bool is_repeated(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_REPEATED) != 0; }
bool is_shown_outside(const upcr_window_t& window) { return window.outer != nullptr && window.outer->base != nullptr; }
// It shows what lies elsewhere without a copy of its own.
bool is_unused(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_UNUSED) != 0; }
bool has_base(const upcr_window_t& window) { return window.base != nullptr; }

// Elements that one iteration accesses.
uint64_t elements_of(const upcr_window_t& window) {
  if (window.inner_count <= 0) return 0;
  return window.inner_step == 0 ? 1 : static_cast<uint64_t>(window.inner_count);
}

// Whether what a window shows in some iterations lies in one block.
bool is_in_one_block(const upcr_window_t& window, long iterations) {
  __extension__ using Wide = __int128;
  const auto phase = static_cast<Wide>(upcr_phase(window.first));
  const Wide outer = Wide{window.step} * (iterations - 1);
  const Wide inner = window.inner_count > 0 ? Wide{window.inner_step} * (window.inner_count - 1) : 0;
  const Wide lowest = phase + std::min<Wide>(outer, 0) + std::min<Wide>(inner, 0);
  const Wide highest = phase + std::max<Wide>(outer, 0) + std::max<Wide>(inner, 0);
  return lowest >= 0 && highest < static_cast<Wide>(window.block);
}

// Whether all that a window shows lies in one thread's memory that is mapped: its steps come round to the thread again,
// or those within an iteration stay in a block.
bool is_mapped(const State& state, const upcr_window_t& window) {
  __extension__ using Wide = __int128;
  const auto stays = [&](int64_t step) {
    return window.block == 0 || step % (Wide{window.block} * state.threads) == 0;
  };
  return stays(window.step) && (stays(window.inner_step) || is_in_one_block(window, 1)) &&
         base_of(thread_of(window.first)) != nullptr;
}

// Where the threads' memory that is mapped here is; null for others.
char** mapped_bases(const State& state) {
  static constinit thread_local OfThread<std::vector<char*>> of_thread;
  std::vector<char*>& bases = *of_thread;
  if (bases.size() != state.threads) {
    bases.resize(state.threads);
    for (weft_rank_t t = 0; t < state.threads; ++t) bases[t] = base_of(t);
  }
  return bases.data();
}

// A window that needs no copy, as most do in loops over a thread's own blocks.
bool open_mapped(const State& state, upcr_window_t& window, long iterations) {
  if (!may_be_object(state, window.first) || base_of(thread_of(window.first)) == nullptr) return false;
  if (!is_mapped(state, window) && !is_in_one_block(window, iterations)) return false;
  window.base = mapped_bases(state);
  return true;
}

// How many iterations a window allows: 0 if one is too many.
long strip_of(const State& state, const upcr_window_t& window, long iterations, uint64_t strips) {
  const uint64_t each = elements_of(window);
  const uint64_t size = window.element_size;
  if (each == 0 || size == 0 || has_base(window) || !is_somewhere(state, window)) return iterations;
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
  const auto window_and_thread = [](const Extent& e) { return std::pair(e.window, e.thread); };
  std::vector<Extent>& extents = open.extents;
  extents.clear();
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    extents.push_back({piece.thread, w, piece.offset, piece.end(), 0});
  });
  std::stable_sort(extents.begin(), extents.end(),
                   [&](const Extent& a, const Extent& b) { return window_and_thread(a) < window_and_thread(b); });
  size_t kept = 0;
  for (const Extent& extent : extents) {
    if (kept == 0 || window_and_thread(extents[kept - 1]) != window_and_thread(extent)) {
      extents[kept++] = extent;
      continue;
    }
    extents[kept - 1].begin = std::min(extents[kept - 1].begin, extent.begin);
    extents[kept - 1].end = std::max(extents[kept - 1].end, extent.end);
  }
  extents.resize(kept);
  open.by_place.clear();
  for (Extent& extent : extents) open.by_place.push_back(&extent);
  std::sort(open.by_place.begin(), open.by_place.end(), [](const Extent* a, const Extent* b) {
    return std::pair(a->thread, a->begin) < std::pair(b->thread, b->begin);
  });
  std::vector<Copy>& copies = open.copies;
  copies.clear();
  for (Extent* extent : open.by_place) {
    if (copies.empty() || copies.back().thread != extent->thread || copies.back().end + kLine < extent->begin)
      copies.push_back({.thread = extent->thread, .begin = extent->begin, .end = extent->end});
    copies.back().end = std::max(copies.back().end, extent->end);
    const bool read = (open.windows[extent->window].flags & UPCR_WINDOW_READ) != 0;
    if (read && copies.back().reader < 0) copies.back().reader = extent->window;
    extent->copy = copies.size() - 1;
  }
  for (int w = 0; w < windows_of(open); ++w) {
    for (size_t i = open.first_piece[static_cast<size_t>(w)]; i < open.first_piece[static_cast<size_t>(w) + 1]; ++i) {
      Piece& piece = open.pieces[i];
      const auto extent = std::lower_bound(
          extents.begin(), extents.end(), std::pair(w, piece.thread),
          [&](const Extent& e, const std::pair<int, weft_rank_t>& key) { return window_and_thread(e) < key; });
      piece.copy = extent->copy;
    }
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

void fetch(OpenWindows& open) {
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    if ((open.windows[w].flags & UPCR_WINDOW_READ) == 0) return;
    open.copies[piece.copy].wanted += piece.size * piece.count;
  });
  for (Copy& copy : open.copies) {
    const uint64_t size = copy.end - copy.begin;
    copy.whole = copy.reader >= 0 && (copy.wanted * 2 >= size || size <= kSmallCopy);
    if (!copy.whole) continue;
    upcr_place(open.windows[copy.reader].file, open.windows[copy.reader].line);
    count_message(size);
    (void)weft_get_nb(copy.at, copy.thread, copy.begin, size, 0, &open.handles.emplace_back());
  }
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    const Copy& copy = open.copies[piece.copy];
    if (copy.whole || (open.windows[w].flags & UPCR_WINDOW_READ) == 0) return;
    const auto stride = static_cast<ptrdiff_t>(piece.stride);
    upcr_place(open.windows[w].file, open.windows[w].line);
    count_message(piece.size * piece.count);
    (void)weft_get_strided_nb(copy.at + (piece.offset - copy.begin), &stride, piece.thread, piece.offset, &stride,
                              piece.size, &piece.count, 1, 0, &open.handles.emplace_back());
  });
  complete(open.handles);
}

void write_back(OpenWindows& open) {
  for_each_piece(open, windows_of(open), [&](int w, const Piece& piece) {
    if ((open.windows[w].flags & UPCR_WINDOW_WRITTEN) == 0) return;
    forget_reads();
    if (shadow_memory != nullptr) {
      for_each_part(piece, piece.offset, piece.end(), [&](uint64_t offset, uint64_t size) {
        shadow_puts_back(piece.thread, offset, size, {open.windows[w].file, open.windows[w].line});
      });
    }
    const Copy& copy = open.copies[piece.copy];
    const char* from = copy.at + (piece.offset - copy.begin);
    upcr_place(open.windows[w].file, open.windows[w].line);
    count_message(piece.size * piece.count);
    if (piece.count == 1) {
      (void)weft_put_nb(piece.thread, piece.offset, from, piece.size, 0, &open.handles.emplace_back());
      return;
    }
    const auto stride = static_cast<ptrdiff_t>(piece.stride);
    (void)weft_put_strided_nb(piece.thread, piece.offset, &stride, from, &stride, piece.size, &piece.count, 1, 0,
                              &open.handles.emplace_back());
  });
  complete(open.handles);
}

}  // namespace

void see_through_windows(void* to, upcr_pts_t from, size_t size) {
  for (const OpenWindows* open = innermost_windows; open != nullptr; open = open->outer) {
    for_each_piece(*open, windows_of(*open), [&](int w, const Piece& piece) {
      if (piece.thread != thread_of(from) || (open->windows[w].flags & UPCR_WINDOW_WRITTEN) == 0) return;
      for_each_part(piece, from.offset, from.offset + size, [&](uint64_t offset, uint64_t bytes) {
        const Copy& copy = open->copies[piece.copy];
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
  const State& state = self_of_access();
  loop->open = 0;
  for (int w = 0; w < count; ++w) {
    windows[w].base = nullptr;
    if (is_unused(windows[w]))
      windows[w].base = mapped_bases(state);
    else if (is_shown_outside(windows[w]))
      windows[w].base = windows[w].outer->base;
    else if (!open_mapped(state, windows[w], iterations))
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
  if (stack->open == stack->all.size()) stack->all.push_back(std::make_unique<OpenWindows>());
  OpenWindows& open = *stack->all[stack->open++];
  open.windows = windows;
  make_bases(open, count, state.threads);
  open.pieces.clear();
  open.first_piece.assign(1, 0);
  for (int w = 0; w < count; ++w) {
    upcr_window_t& window = windows[w];
    const bool opens = !has_base(window) && !(too_much && is_repeated(window));
    if (opens) {
      char** const bases = open.bases.get() + state.threads * static_cast<size_t>(w);
      window.base = bases;
      upcr_place(window.file, window.line);
      const bool certain = (window.flags & UPCR_WINDOW_CERTAIN) != 0;
      const bool empty = window.inner_count <= 0 || window.element_size == 0;
      if (certain && !empty && !may_be_object(state, window.first)) {
        refuse_object((window.flags & UPCR_WINDOW_WRITTEN) != 0, window.first, window.element_size,
                      {window.file, window.line});
      }
      if (is_somewhere(state, window)) add_pieces(open.pieces, bases, window, iterations, state.threads);
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
  --stack->open;
}

}  // extern "C"
