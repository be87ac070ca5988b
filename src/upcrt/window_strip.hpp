// One strip of a loop on memory that is not mapped: what its windows show, and the copies behind them.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "upcrt/window_pieces.hpp"
#include "weft/upcrt/window.h"

namespace weft::upcrt {

/// The part of a thread's memory that a window shows.
struct Extent {
  weft_rank_t thread;
  int window;
  uint64_t begin, end;
  size_t copy;
};

/// A copy of a part of a thread's memory.
struct Copy {
  weft_rank_t thread;
  uint64_t begin, end;
  bool whole = false;  ///< fetched in one operation
  int reader = -1;     ///< the first window that reads it
  size_t wanted = 0;   ///< bytes that windows read, counted once for each window
  char* at = nullptr;  ///< where `begin` is
};

/// What the windows of a strip show.
struct Strip {
  std::vector<upcr_window_t> windows;
  long iterations = 0;
  std::vector<Piece> pieces;        ///< of all windows, one after the other, on memory that is not mapped
  std::vector<size_t> first_piece;  ///< of each window
  std::vector<Extent> extents;      ///< one per window and thread
  std::vector<Extent*> by_place;
  std::vector<Copy> copies;
  std::vector<weft_handle_t> handles;
  std::unique_ptr<char*[]> bases;  ///< of each window, one per thread
  size_t bases_size = 0;
  std::unique_ptr<char[], decltype(&std::free)> memory{nullptr, std::free};
  size_t memory_size = 0;
};

inline bool has_base(const upcr_window_t& window) { return window.base != nullptr; }
inline bool reads(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_READ) != 0; }
inline bool writes(const upcr_window_t& window) { return (window.flags & UPCR_WINDOW_WRITTEN) != 0; }

/// Gives windows their bases that need no copy in `iterations` iterations.
/// @return whether others are left
bool need_copies(const State& state, upcr_window_t* windows, int count, long iterations);

/// Whether every iteration accesses what cannot be an object.
bool is_mistaken(const State& state, const upcr_window_t& window);

/// Opens the windows of a strip that need copies: of at most `iterations` iterations, after `strips` others. Nothing is
/// fetched.
void plan(const State& state, Strip& strip, long iterations, uint64_t strips);

/// Begins to fetch what the strip reads.
void fetch(Strip& strip);

/// Puts back what it has written, and waits until it is in place.
void write_back(Strip& strip);

/// Whether it fetches bytes of [begin, end) of a thread's memory.
bool fetches(const Strip& strip, weft_rank_t thread, uint64_t begin, uint64_t end);

/// Calls f(window, piece) for the pieces of all windows.
template <typename F>
void for_each_piece(const Strip& strip, const F& f) {
  for (int w = 0; w < static_cast<int>(strip.windows.size()); ++w) {
    for (size_t i = strip.first_piece[static_cast<size_t>(w)]; i < strip.first_piece[static_cast<size_t>(w) + 1]; ++i)
      f(w, strip.pieces[i]);
  }
}

/// Calls f(copy) for the copies that show bytes of [begin, end) of a thread's memory.
template <typename F>
void for_each_copy(const Strip& strip, weft_rank_t thread, uint64_t begin, uint64_t end, const F& f) {
  const auto first = std::partition_point(strip.copies.begin(), strip.copies.end(), [&](const Copy& copy) {
    return std::pair(copy.thread, copy.end) <= std::pair(thread, begin);
  });
  for (auto copy = first; copy != strip.copies.end() && copy->thread == thread && copy->begin < end; ++copy) f(*copy);
}

}  // namespace weft::upcrt
