// Layout and message counts, against the figures of the papers.
#include "fft/route.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "fft/transform.hpp"

namespace {

using weft::fft::Direction;
using weft::fft::expected_traffic;
using weft::fft::make_route;
using weft::fft::Route;
using weft::fft::rows_per_message;
using weft::fft::shape_problem;
using weft::fft::Strategy;
using weft::fft::Traffic;

TEST(Route, SendsWhatThePaperSaysForACube) {
  const std::size_t n = 64;
  for (std::size_t ranks : {1u, 2u, 8u, 64u}) {
    for (Direction direction : {Direction::forward, Direction::inverse}) {
      const Route route = make_route({64, 64, 64}, direction, static_cast<int>(ranks), 0, 0);
      const std::size_t bytes = 16 * n * n * n / ranks;
      EXPECT_EQ(expected_traffic(route, Strategy::exchange, 1), (Traffic{ranks, bytes}));
      EXPECT_EQ(expected_traffic(route, Strategy::slabs, 1), (Traffic{n, bytes}));
      EXPECT_EQ(expected_traffic(route, Strategy::pencils, 1), (Traffic{n * n / ranks, bytes}));
    }
  }
}

TEST(Route, SendsWhatThePaperSaysForClassDOn256Ranks) {
  const Route route = make_route({2048, 1024, 1024}, Direction::forward, 256, 17, 0);
  const Traffic slabs = expected_traffic(route, Strategy::slabs, 1);
  EXPECT_EQ(slabs.messages, 1024u);
  EXPECT_EQ(slabs.bytes / slabs.messages, 128u * 1024);
  const Traffic pencils = expected_traffic(route, Strategy::pencils, 1);
  EXPECT_EQ(pencils.messages, 8192u);
  EXPECT_EQ(pencils.bytes / pencils.messages, 16u * 1024);
}

TEST(Route, GathersRowsIntoMessagesOfTheLeastSize) {
  const Route route = make_route({24, 10, 8}, Direction::forward, 2, 0, 3);  // 12 rows of 160 bytes to each rank
  for (const auto& [least_bytes, rows] :
       {std::pair{1, 1}, {160, 1}, {161, 2}, {640, 4}, {641, 6}, {1000, 12}, {9999, 12}}) {
    const auto least = static_cast<std::size_t>(least_bytes);
    EXPECT_EQ(rows_per_message(route, least), static_cast<std::size_t>(rows)) << least_bytes;
    const Traffic one_by_one = expected_traffic(route, Strategy::pencils, 1);
    const Traffic gathered = expected_traffic(route, Strategy::pencils, least);
    EXPECT_EQ(gathered.messages * static_cast<std::size_t>(rows), one_by_one.messages);
    EXPECT_EQ(gathered.bytes, one_by_one.bytes);
    EXPECT_EQ(expected_traffic(route, Strategy::slabs, least), expected_traffic(route, Strategy::slabs, 1));
  }
}

TEST(Route, ExchangeCarriesThePaddingOfItsPlanes) {
  const Route plain = make_route({8, 6, 4}, Direction::forward, 2, 0, 0);
  const Route padded = make_route({8, 6, 4}, Direction::forward, 2, 0, 5);
  const std::size_t planes = padded.ranks * padded.b_local();
  EXPECT_EQ(expected_traffic(padded, Strategy::exchange, 1).bytes,
            expected_traffic(plain, Strategy::exchange, 1).bytes + planes * 5 * 16);
  EXPECT_EQ(expected_traffic(padded, Strategy::slabs, 1), expected_traffic(plain, Strategy::slabs, 1));
  EXPECT_EQ(expected_traffic(padded, Strategy::pencils, 1), expected_traffic(plain, Strategy::pencils, 1));
}

TEST(Route, GivesEveryRowAPlaceOfItsOwn) {
  for (std::size_t pad : {0u, 3u}) {
    const Route route{.a = 6, .b = 9, .y = 4, .ranks = 3, .rank = 1, .pad = pad};
    std::set<std::size_t> taken;
    for (std::size_t a = 0; a < route.a_local(); ++a) {
      for (std::size_t b = 0; b < route.b; ++b) {
        for (std::size_t y = 0; y < route.y; ++y) {
          const std::size_t element = route.target_offset(a, b) + y;
          EXPECT_LT(element, route.target_elements());
          EXPECT_TRUE(taken.insert(element).second);
        }
      }
    }
  }
}

TEST(Route, TargetOfOneDirectionIsSourceOfTheOther) {
  const Route forward = make_route({12, 5, 18}, Direction::forward, 3, 2, 7);
  const Route inverse = make_route({12, 5, 18}, Direction::inverse, 3, 2, 7);
  EXPECT_EQ(forward.target_stride(), inverse.source_stride());
  EXPECT_EQ(forward.target_elements(), inverse.source_elements());
  EXPECT_EQ(inverse.target_stride(), forward.source_stride());
  EXPECT_EQ(inverse.target_elements(), forward.source_elements());
}

TEST(Route, UpcomingRowsLieInsideTheArray) {
  const Route route{.a = 5, .b = 6, .y = 3, .ranks = 2, .rank = 0, .pad = 2};
  for (std::size_t b = 0; b < route.b_local(); ++b) {
    for (std::size_t a = 0; a < route.a; ++a) {
      EXPECT_LE(upcoming_row(route, a, b) + route.y, route.source_elements());
    }
  }
  EXPECT_EQ(upcoming_row(route, 0, 1), 2 * route.source_stride() + route.y);
  EXPECT_EQ(upcoming_row(route, 4, 1), route.source_stride() + 2 * route.y);
}

TEST(Shape, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(shape_problem({8, 3, 4}, 4), "");
  EXPECT_NE(shape_problem({8, 3, 4}, 3).find("3 ranks do not divide both nx = 8 and nz = 4"), std::string::npos);
  EXPECT_NE(shape_problem({8, 3, 4}, 5).find("use at most 4 ranks"), std::string::npos);
  EXPECT_NE(shape_problem({8, 0, 4}, 1).find("positive"), std::string::npos);
}

}  // namespace
