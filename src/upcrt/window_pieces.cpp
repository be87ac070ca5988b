#include "upcrt/window_pieces.hpp"

#include <cinttypes>
#include <numeric>

#include "upcrt/runtime.hpp"
#include "weft/rma.h"
#include "weft/upcrt/unit.h"

namespace weft::upcrt {
namespace {

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
  Pieces(const upcr_window_t& window, uint64_t threads, std::vector<Piece>& pieces, char** bases)
      : window_(window), threads_(threads), pieces_(pieces), first_(pieces.size()), bases_(bases) {}

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
    if ((window_.flags & UPCR_WINDOW_CERTAIN) == 0) return add_clipped(pieces_, piece, weft_segment_size());
    if (pieces_.size() == first_ || !pieces_.back().takes(piece)) pieces_.push_back(piece);
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

}  // namespace

void refuse_object(bool written, upcr_pts_t place, uint64_t size, Place where) {
  check_access(self(), written ? "a write" : "a read", place, size, where);
  // The core knows which threads there are.
  char object = 0;
  (void)weft_get(&object, thread_of(place), place.offset, 1);
  fail(where, "%s of %" PRIu64 " bytes at thread %u, offset %#" PRIx64 ": no shared object is there",
       written ? "a write" : "a read", size, thread_of(place), place.offset);
}

void add_pieces(std::vector<Piece>& pieces, char** bases, const upcr_window_t& window, long iterations,
                uint64_t threads) {
  Pieces(window, threads, pieces, bases).add(iterations);
}

}  // namespace weft::upcrt
