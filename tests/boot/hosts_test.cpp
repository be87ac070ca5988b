#include "boot/hosts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "boot/thread_job.hpp"

namespace {

using weft::boot::Hosts;

TEST(Hosts, RanksAreNumberedWithinTheirHost) {
  const Hosts hosts({0, 1, 0, 2, 1, 0});
  EXPECT_EQ(hosts.count(), 3u);
  EXPECT_EQ(hosts.ranks_of(0), (std::vector<uint32_t>{0, 2, 5}));
  EXPECT_EQ(hosts.ranks_of(2), (std::vector<uint32_t>{3}));
  EXPECT_EQ(hosts.host_rank(5), 2u);
  EXPECT_EQ(hosts.host_rank(1), 0u);
  EXPECT_EQ(hosts.host_size(4), 2u);
  EXPECT_TRUE(hosts.together(1, 4));
  EXPECT_FALSE(hosts.together(1, 2));
}

// Whatever form it keeps them in.
TEST(Hosts, AllPlacingsAreWhatTheListSays) {
  const std::vector<std::vector<uint32_t>> placings = {{0},          {0, 0, 0},       {0, 0, 1, 1},       {0, 0, 1},
                                                       {0, 1, 0, 1}, {0, 1, 2, 0, 1}, {0, 0, 0, 1, 2, 2}, {0, 1, 1, 0},
                                                       {0, 1, 1, 1}, {0, 1, 2},       {0, 0, 1, 1, 2}};
  for (const std::vector<uint32_t>& placing : placings) {
    const Hosts hosts(placing);
    std::vector<uint32_t> sizes(placing.size(), 0);  // by host
    for (uint32_t rank = 0; rank < placing.size(); ++rank) {
      EXPECT_EQ(hosts.host_of(rank), placing[rank]) << testing::PrintToString(placing) << rank;
      EXPECT_EQ(hosts.host_rank(rank), sizes[placing[rank]]++) << testing::PrintToString(placing) << rank;
    }
    for (uint32_t rank = 0; rank < placing.size(); ++rank)
      EXPECT_EQ(hosts.host_size(rank), sizes[placing[rank]]) << testing::PrintToString(placing) << rank;
    EXPECT_EQ(hosts.largest(), *std::ranges::max_element(sizes)) << testing::PrintToString(placing);
  }
}

TEST(Hosts, RegularPlacingsTakeNoMemoryPerRank) {
  EXPECT_EQ(Hosts({0, 0, 0}).bytes_per_rank(), 0u);
  EXPECT_EQ(Hosts({0, 0, 1, 1, 2}).bytes_per_rank(), 0u);
  EXPECT_EQ(Hosts({0, 1, 2, 0, 1}).bytes_per_rank(), 0u);
  EXPECT_EQ(Hosts({0, 1, 1, 0}).bytes_per_rank(), 8u);
}

// By arithmetic where that is possible, and by a list: both are the same.
TEST(Hosts, AmongSomeRanksHostsAreNumberedAnewByTheirFirstRanks) {
  const std::vector<std::vector<uint32_t>> placings = {std::vector<uint32_t>(12, 0),
                                                       {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2},
                                                       {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
                                                       {0, 1, 2, 3, 4, 5, 6, 7},
                                                       {0, 1, 1, 0, 2, 2, 2, 3}};
  for (const std::vector<uint32_t>& placing : placings) {
    const Hosts hosts(placing);
    const auto ranks = static_cast<uint32_t>(placing.size());
    for (uint32_t first = 0; first < ranks; ++first)
      for (int stride = -3; stride <= 6; ++stride)
        for (uint32_t count = 1; count <= ranks; ++count) {
          const int64_t last = first + int64_t{stride} * (count - 1);
          if (stride == 0 || last < 0 || last >= ranks) continue;
          std::vector<uint32_t> some, expected, numbers(ranks, ranks);
          uint32_t fresh = 0;
          for (uint32_t i = 0; i < count; ++i) {
            some.push_back(first + i * static_cast<uint32_t>(stride));
            uint32_t& number = numbers[placing[some.back()]];
            if (number == ranks) number = fresh++;
            expected.push_back(number);
          }
          const Hosts direct(expected);
          for (const Hosts& among : {hosts.among(first, static_cast<uint32_t>(stride), count), hosts.among(some)}) {
            const auto where = testing::PrintToString(placing) + testing::PrintToString(some);
            ASSERT_EQ(among.count(), direct.count()) << where;
            ASSERT_EQ(among.largest(), direct.largest()) << where;
            ASSERT_EQ(among.smallest(), direct.smallest()) << where;
            ASSERT_EQ(among.in_blocks(), direct.in_blocks()) << where;
            for (uint32_t i = 0; i < count; ++i) {
              ASSERT_EQ(among.host_of(i), expected[i]) << where;
              ASSERT_EQ(among.host_rank(i), direct.host_rank(i)) << where;
            }
            for (uint32_t host = 0; host < among.count(); ++host) {
              ASSERT_EQ(among.ranks_of(host), direct.ranks_of(host)) << where;
              if (among.distance_of_firsts() == 0) continue;
              ASSERT_EQ(among.ranks_of(host)[0], host * among.distance_of_firsts()) << where;
            }
          }
        }
  }
}

TEST(Hosts, RegularTeamsOfRegularPlacingsTakeNoMemoryPerRank) {
  std::vector<uint32_t> placing;
  for (uint32_t rank = 0; rank < 64; ++rank) placing.push_back(rank / 4);
  const Hosts hosts(placing);
  for (const auto& [first, stride, count] : {std::array{0u, 1u, 64u}, {8u, 1u, 8u}, {3u, 8u, 8u}, {1u, 2u, 20u}})
    EXPECT_EQ(hosts.among(first, stride, count).bytes_per_rank(), 0u) << first << stride << count;
}

TEST(Hosts, AForcedNameStandsForTheHost) {
  weft::boot::ThreadJob job(4, nullptr);
  std::vector<Hosts> seen(4);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < 4; ++rank)
    ranks.emplace_back([&, rank] {
      auto boot = job.boot(rank);
      EXPECT_TRUE(Hosts::collect(*boot, rank % 2 == 0 ? "" : "somewhere else", seen[rank]).ok());
      EXPECT_TRUE(boot->finalize().ok());
    });
  for (std::thread& rank : ranks) rank.join();
  for (const Hosts& hosts : seen) {
    EXPECT_EQ(hosts.count(), 2u);
    EXPECT_EQ(hosts.ranks_of(1), (std::vector<uint32_t>{1, 3}));
  }
}

TEST(Hosts, SeveralForcedNamesAreDealtInTurn) {
  weft::boot::ThreadJob job(5, nullptr);
  std::vector<Hosts> seen(5);
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < 5; ++rank)
    ranks.emplace_back([&, rank] {
      auto boot = job.boot(rank);
      EXPECT_TRUE(Hosts::collect(*boot, "left,middle,right", seen[rank]).ok());
      EXPECT_TRUE(boot->finalize().ok());
    });
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(seen[4].count(), 3u);
  EXPECT_EQ(seen[4].ranks_of(0), (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(seen[4].ranks_of(2), (std::vector<uint32_t>{2}));
  EXPECT_NE(seen[4].start_ns(), 0u);
  EXPECT_EQ(seen[4].start_ns(), seen[1].start_ns());
}

TEST(Hosts, TheIdentityIsPrintableAndStable) {
  const std::string identity = weft::boot::host_identity();
  EXPECT_EQ(identity, weft::boot::host_identity());
  for (char c : identity) EXPECT_TRUE(c > ' ' && c <= '~') << identity;
}

}  // namespace
