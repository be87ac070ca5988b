#include "rma/small_copy.hpp"

namespace weft::rma {
namespace {

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
    case 0: return;
    case 1: return loop(ExactCopy<1>{});
    case 2: return loop(ExactCopy<2>{});
    case 4: return loop(ExactCopy<4>{});
    case 8: return loop(ExactCopy<8>{});
    case 12: return loop(ExactCopy<12>{});
    case 16: return loop(ExactCopy<16>{});
    case 24: return loop(ExactCopy<24>{});
    case 32: return loop(ExactCopy<32>{});
    case 48: return loop(ExactCopy<48>{});
    case 64: return loop(ExactCopy<64>{});
    case 96: return loop(ExactCopy<96>{});
    case 128: return loop(ExactCopy<128>{});
    default: break;
  }
  if (size < 4) return loop(SplitCopy<2>{size});
  if (size < 8) return loop(SplitCopy<4>{size});
  if (size < 16) return loop(SplitCopy<8>{size});
  if (size < 32) return loop(SplitCopy<16>{size});
  if (size < 64) return loop(SplitCopy<32>{size});
  if (size < 128) return loop(SplitCopy<64>{size});
  return loop(LibraryCopy{size});
}

std::byte* place(uint64_t base, const std::byte* entry) {
  uint64_t position;
  __builtin_memcpy(&position, entry, sizeof position);
  return reinterpret_cast<std::byte*>(base + position);
}

}  // namespace

void copy_elements(size_t size, const Row& to, const Row& from, size_t count) {
  with_copy(size, [target = to.start, target_stride = to.stride, source = from.start, source_stride = from.stride,
                   count](auto copy) mutable {
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

void copy_elements(size_t size, const PlaceList& to, const PlaceList& from, size_t count) {
  with_copy(size, [to_base = to.base, to_step = to.step, target = static_cast<const std::byte*>(to.positions),
                   from_base = from.base, from_step = from.step,
                   source = static_cast<const std::byte*>(from.positions), count](auto copy) mutable {
    for (; count != 0; --count) {
      copy(place(to_base, target), place(from_base, source));
      target += to_step;
      source += from_step;
    }
  });
}

}  // namespace weft::rma
