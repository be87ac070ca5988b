// The shapes of non-contiguous transfers, cut into pieces that are contiguous on both sides. for_each_piece() folds the
// description first (adjacent parts become one, dimensions that continue each other become one), so that what arrives
// in pieces is as contiguous as it can be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/small_copy.hpp"
#include "weft/vis.h"

namespace weft::rma {

/// More bytes than any memory has.
constexpr size_t impossible = SIZE_MAX;

/// A list of parts on one side: `at(i)` gives address or offset, and size.
struct Part {
  uint64_t position;  // offset in the segment, or local address
  size_t size;
};

/// Pieces of one size at listed places: offsets in the segment, and addresses here or one place where all of them lie
/// one behind the other.
struct Pairs {
  size_t size = 0;  // 0: there are none, the pieces differ in size
  size_t count = 0;
  base::PlaceList remote{};
  base::PlaceList local{};
  std::byte* whole = nullptr;  // all of them, in place of `local`

  Pairs from(size_t first) const {
    Pairs rest = *this;
    rest.count -= first;
    rest.remote.positions = static_cast<const std::byte*>(remote.positions) + first * remote.step;
    rest.local.positions = static_cast<const std::byte*>(local.positions) + first * local.step;
    if (whole != nullptr) rest.whole += first * size;
    return rest;
  }
  template <class Consumer>
  void for_each_piece(Consumer consumer) const {
    auto far = base::small_copy::cursor_of(remote);
    auto near = base::small_copy::cursor_of(local);
    for (size_t i = 0; i < count; ++i) {
      const auto offset = reinterpret_cast<uint64_t>(far.next());
      consumer(offset, whole == nullptr ? near.next() : whole + i * size, size);
    }
  }
};

/// Merges consecutive pieces that continue each other on both sides and passes them on.
template <class Consumer>
class Coalescer {
 public:
  explicit Coalescer(Consumer& consumer) : consumer_(consumer) {}
  void add(uint64_t offset, std::byte* local, size_t size) {
    if (size == 0) return;
    if (size_ != 0 && offset == offset_ + size_ && local == local_ + size_) {
      size_ += size;
      return;
    }
    flush();
    offset_ = offset;
    local_ = local;
    size_ = size;
  }
  void flush() {
    if (size_ != 0) consumer_(offset_, local_, size_);
    size_ = 0;
  }

 private:
  Consumer& consumer_;
  uint64_t offset_ = 0;
  std::byte* local_ = nullptr;
  size_t size_ = 0;
};

/// Two lists of parts that add up to the same number of bytes. Remote(i) and Local(i) give a Part.
template <class Remote, class Local>
struct PartLists {
  size_t remote_count;
  Remote remote;
  size_t local_count;
  Local local;
  /// The size of all parts, if both sides have as many and all are of one size; else 0.
  size_t uniform_size() const {
    if (remote_count != local_count || remote_count == 0) return 0;
    const size_t size = remote(0).size;
    size_t difference = 0;
#pragma GCC unroll 4
    for (size_t i = 0; i < remote_count; ++i) difference |= (remote(i).size ^ size) | (local(i).size ^ size);
    return difference == 0 ? size : 0;
  }
  /// The bytes of a side; `impossible` if they are more than a size_t counts.
  size_t remote_total() const { return total(remote_count, remote); }
  size_t local_total() const { return total(local_count, local); }
  bool consistent() const { return remote_total() == local_total() && local_total() != impossible; }

  template <class Consumer>
  void for_each_piece(Consumer consumer) const {
    Coalescer<Consumer> pieces(consumer);
    size_t r = 0, l = 0;
    Part far{0, 0}, near{0, 0};
    for (;;) {
      while (far.size == 0 && r < remote_count) far = remote(r++);
      while (near.size == 0 && l < local_count) near = local(l++);
      if (far.size == 0 || near.size == 0) break;
      const size_t size = far.size < near.size ? far.size : near.size;
      pieces.add(far.position, reinterpret_cast<std::byte*>(near.position), size);
      far = {far.position + size, far.size - size};
      near = {near.position + size, near.size - size};
    }
    pieces.flush();
  }

 private:
  static size_t total(size_t count, const auto& part) {
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i)
      if (__builtin_add_overflow(sum, part(i).size, &sum)) return impossible;
    return sum;
  }
};
// clang needs it before version 17.
template <class Remote, class Local>
PartLists(size_t, Remote, size_t, Local) -> PartLists<Remote, Local>;

/// An N-dimensional block.
class Strided {
 public:
  /// The bytes of such a block; `impossible` if they are more than a size_t counts.
  static size_t total(size_t element_size, const size_t* count, size_t dimensions);

  Strided(uint64_t remote, const ptrdiff_t* remote_stride, std::byte* local, const ptrdiff_t* local_stride,
          size_t element_size, const size_t* count, size_t dimensions);

  /// Elements of one size, `count` of them, that lie apart by a stride on each side: the innermost dimension.
  struct Run {
    uint64_t remote;
    std::byte* local;
    size_t count;
    ptrdiff_t remote_stride, local_stride;
  };
  size_t element_size() const { return element_size_; }

  template <class Consumer>
  void for_each_run(Consumer consumer) const {
    if (empty_ || element_size_ == 0) return;
    Run run = {remote_, local_, 1, 0, 0};
    if (dimensions_ != 0)
      run = {remote_, local_, dimension_[0].count, dimension_[0].remote_stride, dimension_[0].local_stride};
    std::array<size_t, WEFT_STRIDED_DIMENSIONS> index{};
    for (;;) {
      consumer(run);
      // Counts like an odometer, dimension 1 fastest.
      size_t d = 1;
      for (; d < dimensions_; ++d) {
        run.remote += static_cast<uint64_t>(dimension_[d].remote_stride);
        run.local += dimension_[d].local_stride;
        if (++index[d] < dimension_[d].count) break;
        run.remote -= static_cast<uint64_t>(dimension_[d].remote_stride) * dimension_[d].count;
        run.local -= dimension_[d].local_stride * static_cast<ptrdiff_t>(dimension_[d].count);
        index[d] = 0;
      }
      if (d >= dimensions_) return;
    }
  }

  template <class Consumer>
  void for_each_piece(Consumer consumer) const {
    for_each_run([&](Run run) {
      for (; run.count != 0; --run.count) {
        consumer(run.remote, run.local, element_size_);
        run.remote += static_cast<uint64_t>(run.remote_stride);
        run.local += run.local_stride;
      }
    });
  }

 private:
  struct Dimension {
    size_t count;
    ptrdiff_t remote_stride, local_stride;
  };

  uint64_t remote_;
  std::byte* local_;
  size_t element_size_;
  size_t dimensions_ = 0;
  bool empty_ = false;
  std::array<Dimension, WEFT_STRIDED_DIMENSIONS> dimension_;
};

}  // namespace weft::rma
