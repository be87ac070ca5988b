#include "apps/ft/checksum.hpp"

namespace ft {

Checksum::Checksum(const weft::fft::Shape& shape, const weft::fft::Route& route, std::size_t y_first)
    : scale_(1.0 / static_cast<double>(shape.elements())) {
  for (std::size_t j = 1; j <= 1024; ++j) {
    const std::size_t x = j % static_cast<std::size_t>(shape.nx);
    const std::size_t y = 3 * j % static_cast<std::size_t>(shape.ny);
    const std::size_t z = 5 * j % static_cast<std::size_t>(shape.nz);
    if (z / route.a_local() != route.rank || y < y_first || y >= y_first + route.y) continue;
    elements_.push_back(route.target_offset(z % route.a_local(), x) + y - y_first);
  }
}

weft::fft::Complex Checksum::local(const weft::fft::Complex* field) const {
  weft::fft::Complex sum = 0;
  for (std::size_t element : elements_) sum += field[element];
  return sum * scale_;
}

}  // namespace ft
