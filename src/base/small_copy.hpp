// Many copies of one size, as tight as a loop whose size the compiler knows.
//
// Problem. memcpy of a size known at run time is a call and a choice per element; an element of 8 bytes takes a
// nanosecond and more, the copy itself a fraction of one.
//
// Choice. The size's class is found once, and picks a loop that was compiled for it: the sizes that programs have most
// are a copy of constant size, what lies between two powers of two is two copies that overlap. Elements of more than
// 128 bytes pay for the C library's call. Source and destination of an element do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::base {

/// Elements that lie `stride` bytes apart.
struct Row {
  std::byte* start;
  ptrdiff_t stride;
};

/// Elements whose places are listed: base + position, where the positions, of 8 bytes, lie `step` bytes apart.
struct PlaceList {
  uint64_t base;  // an address, or 0 if the positions are addresses
  const void* positions;
  size_t step;
};

/// The same within 4 GiB: base + distance.
struct NearList {
  std::byte* base;
  const void* distances;  // of 4 bytes each
};

/// Copies more than `Unit` bytes, and at most twice as many.
template <size_t Unit>
[[gnu::always_inline]] inline void copy_split(std::byte* to, const std::byte* from, size_t size) {
  __builtin_memcpy(to, from, Unit);
  __builtin_memcpy(to + (size - Unit), from + (size - Unit), Unit);
}

/// One copy of a size that differs from call to call.
inline void copy_piece(std::byte* to, const std::byte* from, size_t size) {
  if (size >= 8 && size <= 16)
    copy_split<8>(to, from, size);
  else if (size >= 4 && size < 8)
    copy_split<4>(to, from, size);
  else if (size > 16 && size <= 32)
    copy_split<16>(to, from, size);
  else
    std::memcpy(to, from, size);
}

namespace small_copy {

template <size_t Size>
struct ExactCopy {
  [[gnu::always_inline]] void operator()(std::byte* to, const std::byte* from) const {
    __builtin_memcpy(to, from, Size);
  }
};

template <size_t Unit>
struct SplitCopy {
  size_t size;
  [[gnu::always_inline]] void operator()(std::byte* to, const std::byte* from) const {
    copy_split<Unit>(to, from, size);
  }
};

struct LibraryCopy {
  size_t size;
  [[gnu::always_inline]] void operator()(std::byte* to, const std::byte* from) const { std::memcpy(to, from, size); }
};

// Calls loop(copy), where copy(to, from) copies `size` bytes.
template <class Loop>
void with_copy(size_t size, Loop loop) {
  switch (size) {
    case 0:
      return;
    case 1:
      return loop(ExactCopy<1>{});
    case 2:
      return loop(ExactCopy<2>{});
    case 4:
      return loop(ExactCopy<4>{});
    case 8:
      return loop(ExactCopy<8>{});
    case 12:
      return loop(ExactCopy<12>{});
    case 16:
      return loop(ExactCopy<16>{});
    case 24:
      return loop(ExactCopy<24>{});
    case 32:
      return loop(ExactCopy<32>{});
    case 48:
      return loop(ExactCopy<48>{});
    case 64:
      return loop(ExactCopy<64>{});
    case 96:
      return loop(ExactCopy<96>{});
    case 128:
      return loop(ExactCopy<128>{});
    default:
      break;
  }
  if (size < 4) return loop(SplitCopy<2>{size});
  if (size < 8) return loop(SplitCopy<4>{size});
  if (size < 16) return loop(SplitCopy<8>{size});
  if (size < 32) return loop(SplitCopy<16>{size});
  if (size < 64) return loop(SplitCopy<32>{size});
  if (size < 128) return loop(SplitCopy<64>{size});
  return loop(LibraryCopy{size});
}

// The elements of a list or row, one after the other.
struct RowCursor {
  std::byte* at;
  ptrdiff_t stride;
  std::byte* next() {
    std::byte* const here = at;
    at += stride;
    return here;
  }
};
struct PlaceCursor {
  uint64_t base;
  const std::byte* at;
  size_t step;
  std::byte* next() {
    uint64_t position;
    __builtin_memcpy(&position, at, sizeof position);
    at += step;
    return reinterpret_cast<std::byte*>(base + position);
  }
};
struct NearCursor {
  std::byte* base;
  const std::byte* at;
  std::byte* next() {
    uint32_t distance;
    __builtin_memcpy(&distance, at, sizeof distance);
    at += sizeof distance;
    return base + distance;
  }
};
inline RowCursor cursor_of(const Row& row) { return {row.start, row.stride}; }
inline PlaceCursor cursor_of(const PlaceList& list) {
  return {list.base, static_cast<const std::byte*>(list.positions), list.step};
}
inline NearCursor cursor_of(const NearList& list) { return {list.base, static_cast<const std::byte*>(list.distances)}; }

}  // namespace small_copy

/// Copies `count` elements of `size` bytes.
inline void copy_elements(size_t size, const Row& to, const Row& from, size_t count) {
  small_copy::with_copy(size, [target = to.start, target_stride = to.stride, source = from.start,
                               source_stride = from.stride, count](auto copy) mutable {
    for (; count >= 4; count -= 4) {
      copy(target, source);
      copy(target + target_stride, source + source_stride);
      copy(target + 2 * target_stride, source + 2 * source_stride);
      copy(target + 3 * target_stride, source + 3 * source_stride);
      target += 4 * target_stride;
      source += 4 * source_stride;
    }
    for (; count != 0; --count) {
      copy(target, source);
      target += target_stride;
      source += source_stride;
    }
  });
}

template <class To, class From>
void copy_elements(size_t size, const To& to, const From& from, size_t count) {
  small_copy::with_copy(
      size, [target = small_copy::cursor_of(to), source = small_copy::cursor_of(from), count](auto copy) mutable {
        for (; count != 0; --count) copy(target.next(), source.next());
      });
}

}  // namespace weft::base
