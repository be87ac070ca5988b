// The 2-D decomposition: grids, layout, and message counts against the figures of the papers.
#include "fft/grid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace {

using weft::fft::default_grid;
using weft::fft::Direction;
using weft::fft::expected_traffic;
using weft::fft::Grid;
using weft::fft::grid_problem;
using weft::fft::GridRoute;
using weft::fft::GridStrategy;
using weft::fft::make_grid_route;
using weft::fft::parse_grid;
using weft::fft::Route;
using weft::fft::Shape;
using weft::fft::Traffic;

TEST(Grid, IsReadAndWritten) {
  EXPECT_EQ(parse_grid("2x4"), (Grid{2, 4}));
  EXPECT_EQ(parse_grid("1x16"), (Grid{1, 16}));
  EXPECT_EQ(to_string(Grid{12, 3}), "12x3");
  for (const char* text :
       {"", "2", "2x", "x4", "2X4", "2x4x1", " 2x4", "2x4 ", "0x4", "-2x4", "2x-4", "99999999999x1"}) {
    EXPECT_EQ(parse_grid(text), std::nullopt) << text;
  }
}

TEST(Grid, IsTheMostNearlySquareOneThatDivides) {
  const Shape cube{64, 64, 64};
  EXPECT_EQ(default_grid(cube, 1), (Grid{1, 1}));
  EXPECT_EQ(default_grid(cube, 2), (Grid{1, 2}));
  EXPECT_EQ(default_grid(cube, 4), (Grid{2, 2}));
  EXPECT_EQ(default_grid(cube, 8), (Grid{2, 4}));
  EXPECT_EQ(default_grid(cube, 32), (Grid{4, 8}));
  EXPECT_EQ(default_grid(cube, 6), std::nullopt);
  EXPECT_EQ(default_grid({12, 12, 12}, 6), (Grid{2, 3}));
  EXPECT_EQ(default_grid({12, 12, 4}, 6), (Grid{3, 2}));  // 3 does not divide nz
  EXPECT_EQ(default_grid({12, 12, 1}, 6), (Grid{6, 1}));
  EXPECT_EQ(default_grid({1, 12, 12}, 6), (Grid{1, 6}));
}

TEST(Grid, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(grid_problem({8, 4, 16}, 8, {2, 4}), "");
  EXPECT_NE(
      grid_problem({8, 4, 16}, 6, {2, 4}).find("grid 2x4 has 8 places for 6 ranks; choose TY and TZ with TY * TZ = 6"),
      std::string::npos);
  EXPECT_NE(grid_problem({8, 4, 16}, 8, {8, 1}).find("grid 8x1 does not divide 8 x 4 x 16; TY must divide nx and ny"),
            std::string::npos);
  EXPECT_NE(grid_problem({8, 0, 16}, 8, {2, 4}).find("positive"), std::string::npos);
}

TEST(GridRoute, SendsWhatThePaperSays) {
  const Shape shape{256, 128, 64};
  for (const Grid grid : {Grid{1, 1}, Grid{2, 4}, Grid{4, 2}, Grid{8, 8}, Grid{16, 1}}) {
    const auto ty = static_cast<std::size_t>(grid.ty);
    const auto tz = static_cast<std::size_t>(grid.tz);
    const GridRoute forward = make_grid_route(shape, Direction::forward, grid, grid.ty * grid.tz - 1, 28);
    // Elements of one message, and messages, of the two rounds.
    EXPECT_EQ(forward.first_part(), (128 / ty) * (256 / ty));
    EXPECT_EQ(forward.second_part(), (256 / ty) * (128 / tz));
    const std::size_t planes = 64 / tz;
    const std::size_t bytes = 16 * planes * (forward.first_part() * ty + forward.second_part() * tz);
    EXPECT_EQ(expected_traffic(forward, GridStrategy::packed_slabs), (Traffic{ty + tz, bytes}));
    EXPECT_EQ(expected_traffic(forward, GridStrategy::slabs), (Traffic{planes * ty + planes * tz, bytes}));
    // The inverse exchanges x with z and TY with TZ.
    const GridRoute inverse = make_grid_route(shape, Direction::inverse, grid, 0, 28);
    EXPECT_EQ(inverse.first_part(), (128 / tz) * (64 / tz));
    EXPECT_EQ(inverse.second_part(), (64 / tz) * (128 / ty));
    EXPECT_EQ(expected_traffic(inverse, GridStrategy::slabs), (Traffic{256 / ty * (tz + ty), bytes}));
    EXPECT_EQ(expected_traffic(inverse, GridStrategy::packed_slabs), (Traffic{ty + tz, bytes}));
  }
}

TEST(GridRoute, TargetOfOneDirectionIsSourceOfTheOther) {
  for (int rank = 0; rank < 6; ++rank) {
    const GridRoute forward = make_grid_route({12, 6, 18}, Direction::forward, {2, 3}, rank, 7);
    const GridRoute inverse = make_grid_route({12, 6, 18}, Direction::inverse, {2, 3}, rank, 7);
    for (const auto& [one, other] : {std::pair{forward, inverse}, {inverse, forward}}) {
      const Route target = one.target();
      const Route source = other.source();
      EXPECT_EQ(target.target_stride(), source.source_stride());
      EXPECT_EQ(target.target_elements(), source.source_elements());
      EXPECT_EQ(target.y, source.y);
      EXPECT_EQ(target.rank * target.a_local(), source.rank * source.b_local());
      EXPECT_EQ(one.target_first_y(), other.source_first_y());
      EXPECT_EQ(one.share(), other.share());
    }
  }
}

// Every element (a, b, y) of the array has one owner before and one after.
TEST(GridRoute, DividesTheArrayAmongTheRanks) {
  const Shape shape{4, 6, 9};
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> before, after;
  std::size_t count = 0;
  for (int rank = 0; rank < 6; ++rank) {
    const GridRoute route = make_grid_route(shape, Direction::forward, {2, 3}, rank, 0);
    const Route source = route.source();
    for (std::size_t b = 0; b < source.b_local(); ++b)
      for (std::size_t y = 0; y < source.y; ++y)
        before.emplace(0, source.rank * source.b_local() + b, route.source_first_y() + y);
    const Route target = route.target();
    for (std::size_t a = 0; a < target.a_local(); ++a)
      for (std::size_t y = 0; y < target.y; ++y, ++count)
        after.emplace(target.rank * target.a_local() + a, 0, route.target_first_y() + y);
  }
  EXPECT_EQ(before.size(), 9u * 6);
  EXPECT_EQ(after.size(), 4u * 6);
  EXPECT_EQ(count, after.size());
}

}  // namespace
