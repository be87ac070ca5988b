#include "upcrt/window_strip.hpp"

#include "upcrt/of_thread.hpp"
#include "upcrt/places.hpp"
#include "upcrt/read_cache.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/shadow_loops.hpp"
#include "weft/rma.h"
#include "weft/upcrt/library.h"
#include "weft/vis.h"

namespace weft::upcrt {
namespace {

constexpr uint64_t kLine = 64;
// Used bytes of a window that are copied: several together fit a second-level cache of 1 MiB.
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

// Whether the object is one that a thread can have: what a loop may not access can lie anywhere.
bool is_somewhere(const State& state, const upcr_window_t& window) { return thread_of(window.first) < state.threads; }

bool is_repeated(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_REPEATED) != 0; }
bool is_shown_outside(const upcr_window_t& window) { return window.outer != nullptr && window.outer->base != nullptr; }
// It shows what lies elsewhere without a copy of its own.
bool is_unused(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_UNUSED) != 0; }

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

// Whether all that a window shows lies in one thread's memory: its steps come round to the thread again, or those
// within an iteration stay in a block.
bool is_of_one_thread(const State& state, const upcr_window_t& window) {
  const uint64_t round = window.block * state.threads;  // elements; a block has less than 2^40 and a job 2^24 threads
  const auto stays = [&](int64_t step) {
    return round == 0 || (step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step)) % round == 0;
  };
  return stays(window.step) && (stays(window.inner_step) || is_in_one_block(window, 1));
}

// Where the threads' memory that is mapped here is; null for others.
struct Bases {
  std::vector<char*> of_thread;
  weft_rank_t mapped = 0;
};
Bases& bases_of(const State& state) {
  static constinit thread_local OfThread<Bases> own;
  Bases& bases = *own;
  if (bases.of_thread.size() != state.threads) {
    bases.of_thread.resize(state.threads);
    for (weft_rank_t t = 0; t < state.threads; ++t) bases.of_thread[t] = base_of(t);
    bases.mapped = static_cast<weft_rank_t>(state.threads - std::ranges::count(bases.of_thread, nullptr));
  }
  return bases;
}
char** mapped_bases(const State& state) { return bases_of(state).of_thread.data(); }

// A window that needs no copy, as most do in loops over a thread's own blocks.
bool open_mapped(const State& state, upcr_window_t& window, long iterations) {
  if (!may_be_object(state, window.first) || base_of(thread_of(window.first)) == nullptr) return false;
  if (!is_of_one_thread(state, window) && !is_in_one_block(window, iterations)) return false;
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
  const bool half_mapped = 2 * bases_of(state).mapped >= state.threads && !is_of_one_thread(state, window);
  uint64_t most = std::min((half_mapped ? 2 : 1) * used / (each * size), kLargestExtent / (step * size));
  if (window.block > 1 && step > kNear) most = std::min(most, kMostPieces / each);
  return std::min(iterations, static_cast<long>(std::max<uint64_t>(most, 1)));
}

// One extent per window and thread; overlapping ones share a copy.
void plan_copies(Strip& strip) {
  const auto window_and_thread = [](const Extent& e) { return std::pair(e.window, e.thread); };
  std::vector<Extent>& extents = strip.extents;
  extents.clear();
  for_each_piece(strip, [&](int w, const Piece& piece) {
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
  strip.by_place.clear();
  for (Extent& extent : extents) strip.by_place.push_back(&extent);
  std::sort(strip.by_place.begin(), strip.by_place.end(), [](const Extent* a, const Extent* b) {
    return std::pair(a->thread, a->begin) < std::pair(b->thread, b->begin);
  });
  std::vector<Copy>& copies = strip.copies;
  copies.clear();
  for (Extent* extent : strip.by_place) {
    if (copies.empty() || copies.back().thread != extent->thread || copies.back().end + kLine < extent->begin)
      copies.push_back({.thread = extent->thread, .begin = extent->begin, .end = extent->end});
    copies.back().end = std::max(copies.back().end, extent->end);
    if (reads(strip.windows[extent->window]) && copies.back().reader < 0) copies.back().reader = extent->window;
    extent->copy = copies.size() - 1;
  }
  for (int w = 0; w < static_cast<int>(strip.windows.size()); ++w) {
    for (size_t i = strip.first_piece[static_cast<size_t>(w)]; i < strip.first_piece[static_cast<size_t>(w) + 1]; ++i) {
      Piece& piece = strip.pieces[i];
      const auto extent = std::lower_bound(
          extents.begin(), extents.end(), std::pair(w, piece.thread),
          [&](const Extent& e, const std::pair<int, weft_rank_t>& key) { return window_and_thread(e) < key; });
      piece.copy = extent->copy;
      if (reads(strip.windows[w])) copies[piece.copy].wanted += piece.size * piece.count;
    }
  }
  for (Copy& copy : copies) {
    const uint64_t size = copy.end - copy.begin;
    copy.whole = copy.reader >= 0 && (copy.wanted * 2 >= size || size <= kSmallCopy);
  }
}

// Memory for the copies. An object is aligned there as it is in its segment.
void place_copies(Strip& strip) {
  size_t total = 0;
  for (const Copy& copy : strip.copies) total += (copy.end - copy.begin + 2 * kLine) / kLine * kLine;
  if (total > strip.memory_size) {
    strip.memory_size = std::max(total, 2 * strip.memory_size);
    strip.memory.reset(static_cast<char*>(std::aligned_alloc(kLine, strip.memory_size)));
    if (strip.memory == nullptr) fail({}, "no memory for a copy of %zu bytes of shared memory", strip.memory_size);
  }
  char* at = strip.memory.get();
  for (Copy& copy : strip.copies) {
    copy.at = at + copy.begin % kLine;
    at += (copy.end - copy.begin + 2 * kLine) / kLine * kLine;
  }
}

// A table for each window: one that is not used has no pieces.
void make_bases(Strip& strip, int count, size_t threads) {
  const size_t needed = threads * static_cast<size_t>(count);
  if (needed <= strip.bases_size) return;
  strip.bases = std::make_unique<char*[]>(needed);
  strip.bases_size = needed;
}

void set_bases(Strip& strip, size_t threads) {
  for (const Extent& extent : strip.extents) {
    const Copy& copy = strip.copies[extent.copy];
    strip.bases[threads * static_cast<size_t>(extent.window) + extent.thread] =
        reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(copy.at) - copy.begin);
  }
}

}  // namespace

void fetch(Strip& strip) {
  for (const Copy& copy : strip.copies) {
    if (!copy.whole) continue;
    const uint64_t size = copy.end - copy.begin;
    upcr_place(strip.windows[copy.reader].file, strip.windows[copy.reader].line);
    count_message(size);
    (void)weft_get_nb(copy.at, copy.thread, copy.begin, size, 0, &strip.handles.emplace_back());
  }
  for_each_piece(strip, [&](int w, const Piece& piece) {
    const Copy& copy = strip.copies[piece.copy];
    if (copy.whole || !reads(strip.windows[w])) return;
    const auto stride = static_cast<ptrdiff_t>(piece.stride);
    upcr_place(strip.windows[w].file, strip.windows[w].line);
    count_message(piece.size * piece.count);
    (void)weft_get_strided_nb(copy.at + (piece.offset - copy.begin), &stride, piece.thread, piece.offset, &stride,
                              piece.size, &piece.count, 1, 0, &strip.handles.emplace_back());
  });
}

void write_back(Strip& strip) {
  for_each_piece(strip, [&](int w, const Piece& piece) {
    if (!writes(strip.windows[w])) return;
    forget_reads();
    if (shadow_memory != nullptr) {
      for_each_part(piece, piece.offset, piece.end(), [&](uint64_t offset, uint64_t size) {
        shadow_puts_back(piece.thread, offset, size, {strip.windows[w].file, strip.windows[w].line});
      });
    }
    const Copy& copy = strip.copies[piece.copy];
    const char* from = copy.at + (piece.offset - copy.begin);
    upcr_place(strip.windows[w].file, strip.windows[w].line);
    count_message(piece.size * piece.count);
    if (piece.count == 1) {
      (void)weft_put_nb(piece.thread, piece.offset, from, piece.size, 0, &strip.handles.emplace_back());
      return;
    }
    const auto stride = static_cast<ptrdiff_t>(piece.stride);
    (void)weft_put_strided_nb(piece.thread, piece.offset, &stride, from, &stride, piece.size, &piece.count, 1, 0,
                              &strip.handles.emplace_back());
  });
  complete(strip.handles);
}

bool need_copies(const State& state, upcr_window_t* windows, int count, long iterations) {
  bool some = false;
  for (int w = 0; w < count; ++w) {
    windows[w].base = nullptr;
    if (is_unused(windows[w]))
      windows[w].base = mapped_bases(state);
    else if (is_shown_outside(windows[w]))
      windows[w].base = windows[w].outer->base;
    else if (!open_mapped(state, windows[w], iterations))
      some = true;
  }
  return some;
}

bool is_mistaken(const State& state, const upcr_window_t& window) {
  const bool empty = window.inner_count <= 0 || window.element_size == 0;
  return (window.flags & UPCR_WINDOW_CERTAIN) != 0 && !has_base(window) && !empty &&
         !may_be_object(state, window.first);
}

void plan(const State& state, Strip& strip, long iterations, uint64_t strips) {
  bool too_much = false;
  for (const upcr_window_t& window : strip.windows) {
    const long most = strip_of(state, window, iterations, strips);
    too_much = too_much || most == 0;
    if (most != 0) iterations = most;
  }
  strip.iterations = iterations;
  make_bases(strip, static_cast<int>(strip.windows.size()), state.threads);
  strip.pieces.clear();
  strip.first_piece.assign(1, 0);
  for (size_t w = 0; w < strip.windows.size(); ++w) {
    upcr_window_t& window = strip.windows[w];
    if (!has_base(window) && !(too_much && is_repeated(window))) {
      upcr_place(window.file, window.line);
      if (is_mistaken(state, window))
        refuse_object(writes(window), window.first, window.element_size, {window.file, window.line});
      char** const bases = strip.bases.get() + state.threads * w;
      window.base = bases;
      if (is_somewhere(state, window)) add_pieces(strip.pieces, bases, window, iterations, state.threads);
    }
    strip.first_piece.push_back(strip.pieces.size());
  }
  plan_copies(strip);
  place_copies(strip);
  set_bases(strip, state.threads);
}

bool fetches(const Strip& strip, weft_rank_t thread, uint64_t begin, uint64_t end) {
  bool found = false;
  for_each_copy(strip, thread, begin, end, [&](const Copy& copy) { found = found || copy.reader >= 0; });
  return found;
}

}  // namespace weft::upcrt
