// What the collectives share: synchronisation modes, and the geometry of a shared array.
#pragma once

#include <cstdint>

#include "upcrt/state.hpp"

namespace weft::upcrt {

/// The two halves of a upc_flag_t. Where more than one bit of a half is set the strongest counts; none means ALLSYNC.
enum class Sync { none, mine, all };
Sync in_sync(int flags);
Sync out_sync(int flags);

/// The wait at the start and the end of a collective that touches memory of other threads. MYSYNC is served as ALLSYNC.
void enter(State& state, const char* function, Sync sync);
void leave(Sync sync);

/// An array of `count` elements of `size` bytes in blocks of `block` (0: indefinite) that starts at `first`, whose
/// phase counts. Each thread's share of it is contiguous; `position` numbers the elements of one share.
struct SharedArray {
  upcr_pts first;
  uint64_t count;
  uint64_t block;
  uint64_t size;
  uint64_t threads;

  /// Elements of `thread` whose index is below `index` (at most count).
  uint64_t position(uint64_t thread, uint64_t index) const;
  uint64_t share(uint64_t thread) const { return position(thread, count); }
  /// Offset in the thread's segment of its element at a position.
  uint64_t offset(uint64_t thread, uint64_t position) const;
  /// Index of the thread's element at a position, and how many from there follow each other in the array.
  uint64_t index(uint64_t thread, uint64_t position, uint64_t& run) const;
  /// Blocks that the array touches.
  uint64_t blocks() const;

  /// Copies elements [begin, end), in array order, from or to private memory.
  void read(uint64_t begin, uint64_t end, void* to, weft_rank_t me) const;
  void write(uint64_t begin, uint64_t end, const void* from, weft_rank_t me) const;

 private:
  // Blocks from the first one's thread to this one.
  uint64_t distance(uint64_t thread) const;
};

/// This thread's part of an internal reduction goes to thread `root`; after the barrier inside, root may read all parts
/// at the returned offset, 16 bytes for each thread.
uint64_t gather_partials(State& state, const void* partial, size_t size, uint64_t place, weft_rank_t root);

}  // namespace weft::upcrt
