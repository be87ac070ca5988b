// The 2-D decomposition: ranks on a grid, two dimensions divided at any time, two rounds of exchanges per transform.
//
// Rank tz * TY + ty of a grid of TY x TZ ranks has two teams. Its plane team, the TY ranks of its tz, shares planes of
// z; its across team, the TZ ranks of its ty, holds the same part of different planes. Forward, [x][z][y]:
//
//   FFT along x on [x][nz/TZ][ny/TY];  exchange on the plane team:  x is divided instead of y
//   FFT along y on [nx/TY][nz/TZ][y];  exchange on the across team: y is divided instead of z
//   FFT along z on [z][nx/TY][ny/TZ]
//
// The inverse is the same with x and z, TY and TZ, and the teams exchanged. As in route.hpp the dimension transformed
// first is called a, the one transformed last b.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fft/route.hpp"
#include "fft/types.hpp"

namespace weft::fft {

struct Grid {
  int ty = 1;
  int tz = 1;

  bool operator==(const Grid&) const = default;
};

/// "2x4".
std::string to_string(const Grid& grid);
/// Reads "2x4"; both numbers at least 1.
std::optional<Grid> parse_grid(std::string_view text);
/// The most nearly square grid of all ranks that divides the shape, TY <= TZ if there are two; nothing if none does.
std::optional<Grid> default_grid(const Shape& shape, int ranks);
/// Empty if the grid has as many places as there are ranks and divides the shape, else what is wrong with it.
std::string grid_problem(const Shape& shape, int ranks, const Grid& grid);

/// What is exchanged at a time: all slabs of a rank, its packed slab, or each as soon as it is transformed.
enum class GridStrategy { packed_slabs, slabs };

constexpr std::string_view name(GridStrategy strategy) {
  return strategy == GridStrategy::packed_slabs ? "packed-slabs-2d" : "slabs-2d";
}

constexpr std::optional<GridStrategy> parse_grid_strategy(std::string_view text) {
  for (GridStrategy strategy : {GridStrategy::packed_slabs, GridStrategy::slabs}) {
    if (name(strategy) == text) return strategy;
  }
  return std::nullopt;
}

enum class GridTeam { plane, across };

/// One direction of the transform, seen by one rank.
struct GridRoute {
  struct Member {
    GridTeam team = GridTeam::plane;
    std::size_t size = 1;
    std::size_t rank = 0;
  };

  std::size_t a = 0;  ///< whole first, then divided by the first team
  std::size_t b = 0;  ///< divided by the second team, whole at the end
  std::size_t y = 0;  ///< divided by the first team, whole between the rounds, divided by the second team
  std::size_t pad = 0;
  Member first;
  Member second;

  std::size_t a_local() const { return a / first.size; }
  std::size_t b_local() const { return b / second.size; }
  std::size_t y_source() const { return y / first.size; }
  std::size_t y_target() const { return y / second.size; }

  /// Elements of one slab's part for one member, in each round.
  std::size_t first_part() const { return a_local() * y_source(); }
  std::size_t second_part() const { return a_local() * y_target(); }
  /// Elements of this rank's share between the rounds; the same before and after.
  std::size_t share() const { return a_local() * b_local() * y; }

  /// Array [a][its b][its y] before the transform: a route over the second team.
  Route source() const {
    return {.a = a, .b = b, .y = y_source(), .ranks = second.size, .rank = second.rank, .pad = pad};
  }
  std::size_t source_first_y() const { return first.rank * y_source(); }
  /// Array [b][its a][its y] after it: a route over the first team.
  Route target() const {
    return {.a = a, .b = b, .y = y_target(), .ranks = first.size, .rank = first.rank, .pad = pad};
  }
  std::size_t target_first_y() const { return second.rank * y_target(); }
};

GridRoute make_grid_route(const Shape& shape, Direction direction, const Grid& grid, int rank, int pad);

/// What one rank sends in the two rounds, the parts it sends to itself included: the formulas of docs/FFT.md.
Traffic expected_traffic(const GridRoute& route, GridStrategy strategy);

}  // namespace weft::fft
