#include "fft/grid.hpp"

#include <charconv>

namespace weft::fft {
namespace {

std::string extents(const Shape& shape) {
  return std::to_string(shape.nx) + " x " + std::to_string(shape.ny) + " x " + std::to_string(shape.nz);
}

bool divides(const Grid& grid, const Shape& shape) {
  return shape.nx % grid.ty == 0 && shape.ny % grid.ty == 0 && shape.ny % grid.tz == 0 && shape.nz % grid.tz == 0;
}

}  // namespace

std::string to_string(const Grid& grid) { return std::to_string(grid.ty) + "x" + std::to_string(grid.tz); }

std::optional<Grid> parse_grid(std::string_view text) {
  Grid grid;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, grid.ty);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, grid.tz);
  if (second.ec != std::errc() || second.ptr != end || grid.ty < 1 || grid.tz < 1) return std::nullopt;
  return grid;
}

std::optional<Grid> default_grid(const Shape& shape, int ranks) {
  std::optional<Grid> best;
  for (int ty = 1; ty <= ranks; ++ty) {
    const Grid grid{ty, ranks / ty};
    if (ranks % ty != 0 || !divides(grid, shape)) continue;
    const bool tall = grid.ty > grid.tz;
    // Quotients grow away from the square on both sides; a tall grid has to be nearer to it to be taken.
    if (!best || (tall ? grid.ty < best->tz : grid.ty > best->ty)) best = grid;
    if (tall) break;
  }
  return best;
}

std::string grid_problem(const Shape& shape, int ranks, const Grid& grid) {
  if (shape.nx < 1 || shape.ny < 1 || shape.nz < 1) return "the extents " + extents(shape) + " must all be positive";
  const auto places = static_cast<long long>(grid.ty) * grid.tz;
  if (places != ranks) {
    return "grid " + to_string(grid) + " has " + std::to_string(places) + " places for " + std::to_string(ranks) +
           " ranks; choose TY and TZ with TY * TZ = " + std::to_string(ranks);
  }
  if (!divides(grid, shape)) {
    return "grid " + to_string(grid) + " does not divide " + extents(shape) +
           "; TY must divide nx and ny, TZ must divide ny and nz";
  }
  return {};
}

GridRoute make_grid_route(const Shape& shape, Direction direction, const Grid& grid, int rank, int pad) {
  const bool forward = direction == Direction::forward;
  const GridRoute::Member plane{.team = GridTeam::plane,
                                .size = static_cast<std::size_t>(grid.ty),
                                .rank = static_cast<std::size_t>(rank % grid.ty)};
  const GridRoute::Member across{.team = GridTeam::across,
                                 .size = static_cast<std::size_t>(grid.tz),
                                 .rank = static_cast<std::size_t>(rank / grid.ty)};
  return {.a = static_cast<std::size_t>(forward ? shape.nx : shape.nz),
          .b = static_cast<std::size_t>(forward ? shape.nz : shape.nx),
          .y = static_cast<std::size_t>(shape.ny),
          .pad = static_cast<std::size_t>(pad),
          .first = forward ? plane : across,
          .second = forward ? across : plane};
}

Traffic expected_traffic(const GridRoute& route, GridStrategy strategy) {
  const std::size_t exchanges = strategy == GridStrategy::slabs ? route.b_local() : 1;
  return {exchanges * (route.first.size + route.second.size), 2 * route.share() * sizeof(Complex)};
}

}  // namespace weft::fft
