// Where everything lies before and after a transposition, and what a transposition costs.
//
// A half transform takes an array [a][b][y] of which each rank holds a block of b (all of a, all of y), and makes
// of it the array [b][a][y] of which each rank holds a block of a. Forward a = x and b = z; inverse a = z and
// b = x. Both arrays keep their full dimension slowest:
//
//   source on rank r: [a = 0..A)[b = r B/P .. (r+1) B/P)[y = 0..Y) and then `pad` elements after each a
//   target on rank r: [b = 0..B)[a = r A/P .. (r+1) A/P)[y = 0..Y) and then `pad` elements after each b
//
// With that choice the part of a plane b that one rank will own is contiguous in the plane [a][y] and contiguous
// in the target; and so is all that goes from one rank to another. So rows (pencils), parts of planes (slabs) and
// everything (exchange) can be sent straight to their final place as one contiguous message each, without unpacking.
#pragma once

#include <cstddef>

#include "fft/types.hpp"

namespace weft::fft {

struct Route {
  std::size_t a = 0;  ///< whole on each rank now, distributed afterwards
  std::size_t b = 0;  ///< distributed now, whole afterwards
  std::size_t y = 0;  ///< whole and contiguous all the time
  std::size_t ranks = 1;
  std::size_t rank = 0;
  std::size_t pad = 0;  ///< elements between the parts of both arrays that differ in the slowest index

  std::size_t a_local() const { return a / ranks; }
  std::size_t b_local() const { return b / ranks; }

  std::size_t source_stride() const { return b_local() * y + pad; }  ///< from one a to the next
  std::size_t target_stride() const { return a_local() * y + pad; }  ///< from one b to the next
  std::size_t source_elements() const { return a * source_stride(); }
  std::size_t target_elements() const { return b * target_stride(); }

  /// First element, in the target array of the rank that owns it, of row (a, b); a counted from that rank's first.
  std::size_t target_offset(std::size_t a_index_local, std::size_t b_index) const {
    return b_index * target_stride() + a_index_local * y;
  }
};

/// Index, in a source array read plane by plane, of the row that will be read two rows after row (a, b_local). Rows of
/// a plane are too far apart for the hardware to prefetch them; this is what to prefetch while reading (a, b_local).
inline std::size_t upcoming_row(const Route& route, std::size_t a, std::size_t b_local) {
  constexpr std::size_t rows_ahead = 2;
  const std::size_t ahead = b_local * route.a + a + rows_ahead;
  const std::size_t last = route.a * route.b_local() - 1;
  const std::size_t next = ahead < last ? ahead : last;
  return next % route.a * route.source_stride() + next / route.a * route.y;
}

/// Extents of the half transform of a direction.
inline Route make_route(const Shape& shape, Direction direction, int ranks, int rank, int pad) {
  const bool forward = direction == Direction::forward;
  return {.a = static_cast<std::size_t>(forward ? shape.nx : shape.nz),
          .b = static_cast<std::size_t>(forward ? shape.nz : shape.nx),
          .y = static_cast<std::size_t>(shape.ny),
          .ranks = static_cast<std::size_t>(ranks),
          .rank = static_cast<std::size_t>(rank),
          .pad = static_cast<std::size_t>(pad)};
}

/// What one rank sends in one half transform, the part it sends to itself included (as the papers count).
struct Traffic {
  std::size_t messages = 0;
  std::size_t bytes = 0;

  bool operator==(const Traffic&) const = default;
};

/// Rows of one message of the pencils: the fewest that reach `least_bytes` and divide the part of a plane that goes to
/// one rank; else that part.
inline std::size_t rows_per_message(const Route& route, std::size_t least_bytes) {
  std::size_t rows = 1;
  while (rows < route.a_local() && (rows * route.y * sizeof(Complex) < least_bytes || route.a_local() % rows != 0)) {
    ++rows;
  }
  return rows;
}

/// The formulas of docs/FFT.md. An exchange message carries the padding between its planes along.
inline Traffic expected_traffic(const Route& route, Strategy strategy, std::size_t least_message_bytes) {
  const std::size_t rows = route.a * route.b_local();
  switch (strategy) {
    case Strategy::pencils:
      return {rows / rows_per_message(route, least_message_bytes), rows * route.y * sizeof(Complex)};
    case Strategy::slabs:
      return {route.b_local() * route.ranks, rows * route.y * sizeof(Complex)};
    case Strategy::exchange:
      return {route.ranks, route.ranks * route.b_local() * route.target_stride() * sizeof(Complex)};
  }
  return {};
}

}  // namespace weft::fft
