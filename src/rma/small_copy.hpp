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

namespace weft::rma {

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

/// Copies `count` elements of `size` bytes.
void copy_elements(size_t size, const Row& to, const Row& from, size_t count);
void copy_elements(size_t size, const PlaceList& to, const PlaceList& from, size_t count);

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

}  // namespace weft::rma
