// The memory side of a file operation: what it reads or writes, in the order of the file.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/types.h"
#include "weft/upcrt/pts.h"

namespace weft::upcrt::io {

/// Where this thread may load and store each thread's segment; null where it may not.
using Bases = std::vector<char*>;

/// `bytes` bytes of private memory, or of a shared array: of blocks of `block` bytes that go round the threads,
/// beginning `skip` bytes after the array's first byte, which begins a block.
struct Region {
  char* local = nullptr;  // null: shared
  upcr_pts_t first{};
  uint64_t block = 0;  // 0: all on one thread
  uint64_t skip = 0;
  uint64_t bytes = 0;

  static Region of_private(void* memory, uint64_t bytes) { return {static_cast<char*>(memory), {}, 0, 0, bytes}; }
  bool scattered() const { return block != 0; }
};

/// Consecutive bytes of one thread's memory.
struct Piece {
  char* here = nullptr;  // null: not to be reached by loads and stores
  weft_rank_t thread = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// The piece that begins `at` bytes into the region; at most `most` bytes of it.
Piece piece_at(const Region& region, uint64_t at, uint64_t most, const Bases& bases);

/// What one thread has of the bytes [at, at + bytes) of a scattered region: one piece of its memory, perhaps empty.
Piece share_of(const Region& region, uint64_t at, uint64_t bytes, uint64_t thread, const Bases& bases);

/// Copies the bytes [at, at + bytes) of a scattered region to consecutive memory, or back. Every thread's memory is at
/// its base plus its offset.
void gather(char* linear, const Region& region, uint64_t at, uint64_t bytes, const Bases& bases);
void scatter(const char* linear, const Region& region, uint64_t at, uint64_t bytes, const Bases& bases);

/// Copies `count` blocks of `size` bytes that lie a stride apart on either side.
void copy_blocks(char* to, size_t to_stride, const char* from, size_t from_stride, size_t size, size_t count);

/// True if this thread may load and store all of the region.
bool reachable(const Region& region, const Bases& bases);

/// The first byte behind the region in the segment that has the most of it; UINT64_MAX if that is no number.
uint64_t end_of(const Region& region, uint64_t threads);

/// Regions one after another, and how far an operation has come in them.
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::vector<Region> regions) : regions_(std::move(regions)) { settle(); }

  bool done() const { return index_ == regions_.size(); }
  const Region& region() const { return regions_[index_]; }
  uint64_t at() const { return at_; }
  /// Left of the present region.
  uint64_t room() const { return region().bytes - at_; }
  const std::vector<Region>& regions() const { return regions_; }

  Piece take(uint64_t most, const Bases& bases) {
    const Piece piece = piece_at(region(), at_, most, bases);
    advance(piece.bytes);
    return piece;
  }
  /// Within the present region.
  void advance(uint64_t bytes) {
    at_ += bytes;
    settle();
  }
  /// Over any number of regions.
  void skip(uint64_t bytes);

 private:
  void settle() {
    while (index_ < regions_.size() && at_ == regions_[index_].bytes) {
      ++index_;
      at_ = 0;
    }
  }

  std::vector<Region> regions_;
  size_t index_ = 0;
  uint64_t at_ = 0;
};

}  // namespace weft::upcrt::io
