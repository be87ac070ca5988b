#include "rma/pieces.hpp"

namespace weft::rma {

size_t Strided::total(size_t element_size, const size_t* count, size_t dimensions) {
  size_t size = element_size;
  for (size_t d = 0; d < dimensions; ++d)
    if (count[d] == 0) return 0;
  for (size_t d = 0; d < dimensions; ++d)
    if (__builtin_mul_overflow(size, count[d], &size)) return impossible;
  return size;
}

Strided::Strided(uint64_t remote, const ptrdiff_t* remote_stride, std::byte* local, const ptrdiff_t* local_stride,
                 size_t element_size, const size_t* count, size_t dimensions)
    : remote_(remote), local_(local), element_size_(element_size) {
  for (size_t d = 0; d < dimensions; ++d) {
    const Dimension next = {count[d], remote_stride[d], local_stride[d]};
    if (next.count == 0) empty_ = true;
    if (next.count <= 1) continue;
    const auto element = static_cast<ptrdiff_t>(element_size_);
    if (dimensions_ == 0 && next.remote_stride == element && next.local_stride == element) {
      element_size_ *= next.count;  // continues the element
      continue;
    }
    if (dimensions_ != 0) {
      Dimension& last = dimension_[dimensions_ - 1];
      const auto span = static_cast<ptrdiff_t>(last.count);
      if (next.remote_stride == last.remote_stride * span && next.local_stride == last.local_stride * span) {
        last.count *= next.count;  // continues the dimension before it
        continue;
      }
    }
    dimension_[dimensions_++] = next;
  }
}

}  // namespace weft::rma
