// Windows of loops on memory that is not mapped (weft/upcrt/window.h): those that a thread has open, and the strips
// that its loops are expected to run next.
#include "upcrt/windows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "upcrt/of_thread.hpp"
#include "upcrt/runtime.hpp"
#include "upcrt/window_strip.hpp"
#include "weft/upcrt/window.h"

namespace weft::upcrt {

struct OpenWindows {
  OpenWindows* outer = nullptr;
  Strip strip;
  Strip next;                // that the loop is expected to run
  bool is_expected = false;  // there is such a strip
  bool is_fetched = false;   // what it reads is under way, and this thread has not written there since
  int surprises = 0;         // of the loop: strips that were not as expected
};

thread_local OpenWindows* innermost_windows = nullptr;

namespace {

// After so many strips that were not as expected a loop gets no more ahead of time.
constexpr int kMostSurprises = 2;

// Those not in use, by how deep they nest.
struct Stack {
  std::vector<std::unique_ptr<OpenWindows>> all;
  size_t open = 0;
};
constinit thread_local OfThread<Stack> stack;

// Plans the strip that follows the open one, and begins to fetch what it reads unless the open one writes there. The
// loop still has `iterations` iterations then.
void expect_next(const State& state, OpenWindows& open, long iterations, uint64_t strips) {
  if (iterations == 0 || open.surprises == kMostSurprises) return;
  const Strip& strip = open.strip;
  Strip& next = open.next;
  next.windows = strip.windows;
  for (upcr_window_t& window : next.windows)
    window.first = upcr_add(window.first, window.step * strip.iterations, window.block, window.element_size);
  if (!need_copies(state, next.windows.data(), static_cast<int>(next.windows.size()), iterations)) return;
  if (std::any_of(next.windows.begin(), next.windows.end(), [&](const auto& w) { return is_mistaken(state, w); }))
    return;
  plan(state, next, iterations, strips);
  open.is_expected = true;
  open.is_fetched = std::none_of(strip.extents.begin(), strip.extents.end(), [&](const Extent& e) {
    return writes(strip.windows[e.window]) && fetches(next, e.thread, e.begin, e.end);
  });
  if (open.is_fetched) fetch(next);
}

// A loop that ended early leaves a strip that does not come.
void begin_loop(OpenWindows& open) {
  complete(open.next.handles);
  open.is_expected = false;
  open.surprises = 0;
}

bool shows_the_same(const upcr_window_t& a, const upcr_window_t& b) {
  return upcr_equal(a.first, b.first) && upcr_phase(a.first) == upcr_phase(b.first) && a.step == b.step &&
         a.block == b.block && a.element_size == b.element_size && a.inner_step == b.inner_step &&
         a.inner_count == b.inner_count && a.flags == b.flags && a.outer == b.outer;
}

// The expected strip becomes the open one, if these windows are of that. What it reads is under way then.
bool open_expected(OpenWindows& open, upcr_window_t* windows, int count, long iterations) {
  if (!open.is_expected) return false;
  open.is_expected = false;
  Strip& next = open.next;
  const bool fits = next.iterations <= iterations &&
                    std::equal(windows, windows + count, next.windows.begin(), next.windows.end(), shows_the_same);
  if (!fits || !open.is_fetched) complete(next.handles);
  if (!fits) {
    ++open.surprises;
    return false;
  }
  if (!open.is_fetched) fetch(next);
  std::swap(open.strip, next);
  return true;
}

}  // namespace

void see_through_windows(void* to, upcr_pts_t from, size_t size) {
  for (const OpenWindows* open = innermost_windows; open != nullptr; open = open->outer) {
    const Strip& strip = open->strip;
    for_each_piece(strip, [&](int w, const Piece& piece) {
      if (piece.thread != thread_of(from) || !writes(strip.windows[w])) return;
      for_each_part(piece, from.offset, from.offset + size, [&](uint64_t offset, uint64_t bytes) {
        const Copy& copy = strip.copies[piece.copy];
        std::memcpy(static_cast<char*>(to) + (offset - from.offset), copy.at + (offset - copy.begin), bytes);
      });
    });
  }
}

void show_windows(upcr_pts_t to, const void* from, size_t size) {
  for (OpenWindows* open = innermost_windows; open != nullptr; open = open->outer) {
    for_each_copy(open->strip, thread_of(to), to.offset, to.offset + size, [&](const Copy& copy) {
      const uint64_t begin = std::max(copy.begin, to.offset);
      const uint64_t end = std::min(copy.end, to.offset + size);
      std::memcpy(copy.at + (begin - copy.begin), static_cast<const char*>(from) + (begin - to.offset), end - begin);
    });
    if (open->is_expected && fetches(open->next, thread_of(to), to.offset, to.offset + size)) open->is_fetched = false;
  }
}

}  // namespace weft::upcrt

using namespace weft::upcrt;

extern "C" {

long upcr_windows_open(upcr_windows_t* loop, upcr_window_t* windows, int count, long iterations) {
  const State& state = self_of_access();
  const bool expected = loop->strips != 0 && open_expected(*stack->all[stack->open], windows, count, iterations);
  loop->open = expected || need_copies(state, windows, count, iterations) ? 1 : 0;
  if (loop->open == 0) return iterations;
  if (stack->open == stack->all.size()) stack->all.push_back(std::make_unique<OpenWindows>());
  OpenWindows& open = *stack->all[stack->open];
  if (!expected) {
    if (loop->strips == 0) begin_loop(open);
    open.strip.windows.assign(windows, windows + count);
    plan(state, open.strip, iterations, loop->strips);
    fetch(open.strip);
  }
  for (int w = 0; w < count; ++w) windows[w].base = open.strip.windows[static_cast<size_t>(w)].base;
  ++loop->strips;
  expect_next(state, open, iterations - open.strip.iterations, loop->strips);
  complete(open.strip.handles);
  ++stack->open;
  open.outer = innermost_windows;
  innermost_windows = &open;
  return open.strip.iterations;
}

void upcr_windows_close(upcr_windows_t* loop) {
  if (loop->open == 0) return;
  OpenWindows& open = *innermost_windows;
  write_back(open.strip);
  innermost_windows = open.outer;
  --stack->open;
}

}  // extern "C"
