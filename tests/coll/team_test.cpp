// Teams: weft/team.h, and their barriers.
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/full_segment.hpp"
#include "support/ranks.hpp"
#include "weft/barrier.h"
#include "weft/coll.h"
#include "weft/rma.h"

namespace {

uint64_t sum_of(weft_team_t team, uint64_t value) {
  uint64_t sum = 0;
  weft_reduce_all(team, &sum, &value, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0);
  return sum;
}

RANK_TEST(Team, WorldIsTheJob) {
  EXPECT_EQ(weft_team_rank(WEFT_TEAM_WORLD), weft_rank());
  EXPECT_EQ(weft_team_size(WEFT_TEAM_WORLD), weft_size());
  EXPECT_EQ(weft_team_member(WEFT_TEAM_WORLD, weft_size() - 1), weft_size() - 1);
  EXPECT_EQ(weft_team_member(WEFT_TEAM_WORLD, weft_size()), WEFT_NO_MEMBER);
}

RANK_TEST(Team, SplitOrdersByKeyAndLeavesOutWhoWantsToBe) {
  weft_team_t team = 77;
  const int32_t color = weft_rank() == 0 && weft_size() > 1 ? WEFT_NO_COLOR : 3;
  ASSERT_EQ(weft_team_split(WEFT_TEAM_WORLD, color, -static_cast<int32_t>(weft_rank()), &team), WEFT_OK);
  if (color == WEFT_NO_COLOR) {
    EXPECT_EQ(team, WEFT_TEAM_NONE);
  } else {
    const uint32_t first = weft_size() > 1 ? 1 : 0;
    EXPECT_EQ(weft_team_size(team), weft_size() - first);
    EXPECT_EQ(weft_team_rank(team), weft_size() - 1 - weft_rank());
    EXPECT_EQ(weft_team_world_rank(team, 0), weft_size() - 1);
    EXPECT_EQ(sum_of(team, weft_rank()), uint64_t{weft_size()} * (weft_size() - 1) / 2);
  }
  EXPECT_EQ(weft_team_free(team), WEFT_OK);
}

RANK_TEST(Team, RowsAndColumnsOfAGridComeFromOneCallEach) {
  if (weft_size() % 2 != 0) GTEST_SKIP() << "needs an even number of ranks";
  const uint32_t columns = weft_size() / 2;
  weft_team_t row = 0, column = 0;
  ASSERT_EQ(weft_team_split_stride(WEFT_TEAM_WORLD, columns, 1, &row), WEFT_OK);
  ASSERT_EQ(weft_team_split_stride(WEFT_TEAM_WORLD, 2, columns, &column), WEFT_OK);
  EXPECT_EQ(weft_team_rank(row), weft_rank() % columns);
  EXPECT_EQ(weft_team_size(row), columns);
  EXPECT_EQ(weft_team_rank(column), weft_rank() / columns);
  EXPECT_EQ(weft_team_size(column), 2u);
  for (uint32_t member = 0; member < 2; ++member)
    EXPECT_EQ(weft_team_world_rank(column, member), member * columns + weft_rank() % columns);
  const uint32_t all[] = {0, 1};
  uint32_t there[2] = {9, 9};
  EXPECT_EQ(weft_team_translate(column, all, 2, row, there), WEFT_OK);
  EXPECT_EQ(there[weft_rank() / columns], weft_rank() % columns);
  EXPECT_EQ(there[1 - weft_rank() / columns], WEFT_NO_MEMBER);
  weft_team_free(row);
  weft_team_free(column);
  weft_team_t none = 5;
  EXPECT_EQ(weft_team_split_stride(WEFT_TEAM_WORLD, weft_size() + 1, 1, &none), WEFT_ERR_INVALID);
  EXPECT_EQ(none, 5u);
}

// All ranks of these tests run on one machine; WEFT_HOST_NAME=a,b deals them to hosts in turn.
std::string host_of(weft_rank_t rank) {
  const char* const names = std::getenv("WEFT_HOST_NAME");
  std::vector<std::string> hosts;
  std::istringstream list(names != nullptr ? names : "this");
  for (std::string name; std::getline(list, name, ',');) hosts.push_back(name);
  return hosts[rank % hosts.size()];
}

// Gives the team of this rank's host, for the caller to free.
weft_team_t split_by_host(weft_team_t parent) {
  std::vector<weft_rank_t> here;
  uint64_t sum = 0;
  for (uint32_t member = 0; member < weft_team_size(parent); ++member) {
    const weft_rank_t rank = weft_team_world_rank(parent, member);
    if (host_of(rank) != host_of(weft_rank())) continue;
    here.push_back(rank);
    sum += rank;
  }
  weft_team_t team = WEFT_TEAM_NONE;
  REQUIRE(weft_team_split_host(parent, &team) == WEFT_OK);
  REQUIRE(weft_team_size(team) == here.size());
  for (uint32_t member = 0; member < here.size(); ++member)
    EXPECT_EQ(weft_team_world_rank(team, member), here[member]) << "member " << member;
  EXPECT_EQ(here[weft_team_rank(team)], weft_rank());
  EXPECT_EQ(sum_of(team, weft_rank()), sum);
  return team;
}

RANK_TEST(Team, SplitHostGivesTheMembersOfOneHostInTheParentsOrder) {
  const weft_team_t host = split_by_host(WEFT_TEAM_WORLD);
  EXPECT_EQ(weft_team_size(host), weft_host_size());
  EXPECT_EQ(weft_team_rank(host), weft_host_rank());
  weft_team_free(split_by_host(host));
  weft_team_free(host);
}

RANK_TEST(Team, SplitHostOfATeamLeavesOutWhoIsNotInIt) {
  weft_team_t others = WEFT_TEAM_NONE;
  // All but rank 0, in reverse; rank 0 alone.
  const int32_t color = weft_rank() == 0 ? 0 : 1;
  REQUIRE(weft_team_split(WEFT_TEAM_WORLD, color, -static_cast<int32_t>(weft_rank()), &others) == WEFT_OK);
  weft_team_free(split_by_host(others));
  weft_team_free(others);
}

RANK_TEST(Team, ListsKeepTheirOrderAndMustAgree) {
  std::vector<uint32_t> list;
  for (uint32_t member = weft_size(); member-- > 0;) list.push_back(member);
  weft_team_t team = 0;
  ASSERT_EQ(weft_team_from_list(WEFT_TEAM_WORLD, list.data(), weft_size(), &team), WEFT_OK);
  EXPECT_EQ(weft_team_rank(team), weft_size() - 1 - weft_rank());
  // Nested: half of the reversed team.
  weft_team_t half = 0;
  const uint32_t count = (weft_size() + 1) / 2;
  ASSERT_EQ(weft_team_from_list(team, list.data() + (weft_size() - count), count, &half), WEFT_OK);
  if (weft_team_rank(team) < count)
    EXPECT_EQ(sum_of(half, 1), count);
  else
    EXPECT_EQ(half, WEFT_TEAM_NONE);
  weft_team_free(half);
  weft_team_free(team);
  const uint32_t twice[] = {0, 0};
  EXPECT_EQ(weft_team_from_list(WEFT_TEAM_WORLD, twice, 2, &team), WEFT_ERR_INVALID);
  if (weft_size() > 1) {
    const uint32_t mine[] = {weft_rank()};
    EXPECT_EQ(weft_team_from_list(WEFT_TEAM_WORLD, mine, 1, &team), WEFT_ERR_MISMATCH);
  }
}

RANK_TEST(Team, PairsNameEachOther) {
  const uint32_t partner = weft_size() - 1 - weft_rank();
  weft_team_t pair = 0;
  ASSERT_EQ(weft_team_pair(WEFT_TEAM_WORLD, partner, &pair), WEFT_OK);
  EXPECT_EQ(weft_team_size(pair), partner == weft_rank() ? 1u : 2u);
  EXPECT_EQ(sum_of(pair, weft_rank()), partner == weft_rank() ? weft_rank() : weft_size() - 1);
  weft_team_free(pair);
  if (weft_size() > 2) {
    EXPECT_EQ(weft_team_pair(WEFT_TEAM_WORLD, weft_test::next_rank(), &pair), WEFT_ERR_MISMATCH);
  }
  EXPECT_EQ(weft_team_pair(WEFT_TEAM_WORLD, weft_size(), &pair), WEFT_ERR_INVALID);
}

RANK_TEST(Team, FreedTeamsFinishWhatIsUnderWay) {
  for (int round = 0; round < 20; ++round) {
    weft_team_t team = 0;
    REQUIRE(weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team) == WEFT_OK);
    uint64_t one = 1, sums[8] = {};
    weft_handle_t handles[8];
    for (int i = 0; i < 8; ++i)
      weft_reduce_all_nb(team, &sums[i], &one, 1, weft_reduction_of(WEFT_U64, WEFT_REDUCE_ADD), 0, &handles[i]);
    weft_team_free(team);
    weft_handle_wait_all(handles, 8);
    for (const uint64_t sum : sums) EXPECT_EQ(sum, weft_size());
  }
}

RANK_TEST(Team, ScratchSpaceGrowsByItself) {
  weft_team_t team = 0;
  REQUIRE(weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team) == WEFT_OK);
  for (size_t size = 1; size <= 65536; size = size * 2 + 1) {
    std::vector<unsigned char> mine(size * weft_size()), all(size * weft_size());
    for (size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<unsigned char>(weft_rank() + i);
    for (int repeat = 0; repeat < 4; ++repeat) {
      REQUIRE(weft_exchange(team, all.data(), mine.data(), size, 0) == WEFT_OK);
      for (uint32_t member = 0; member < weft_size(); ++member)
        for (size_t i = 0; i < size; ++i)
          REQUIRE(all[member * size + i] == static_cast<unsigned char>(member + weft_rank() * size + i));
    }
  }
  weft_team_free(team);
}

RANK_TEST(Team, ReservedRoomServesCollectivesInAFullSegment) {
  const char* tune = std::getenv("WEFT_TUNE");
  if (tune != nullptr && std::strcmp(tune, "online") == 0) GTEST_SKIP() << "plans to try are not provided for";
  constexpr size_t broadcast = size_t{1} << 20, result = size_t{8} << 10;
  weft_team_t team = WEFT_TEAM_NONE;
  ASSERT_EQ(weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team), WEFT_OK);
  size_t offset = 0;
  ASSERT_EQ(weft_alloc(broadcast, 0, &offset), WEFT_OK);
  auto* const data = static_cast<char*>(weft_pointer(weft_rank(), offset));
  {
    std::optional<weft_test::FullSegment> full;
    if (weft_rank() == weft_size() - 1) full.emplace(size_t{64} << 10);
    EXPECT_EQ(weft_detail_team_reserve(team, broadcast, result), WEFT_ERR_NO_MEMORY);
    EXPECT_EQ(sum_of(team, 1), weft_size());
  }
  ASSERT_EQ(weft_detail_team_reserve(team, broadcast, result), WEFT_OK);
  {
    const weft_test::FullSegment full(0);
    for (size_t size = 8; size <= result; size *= 2) {
      const size_t count = size / sizeof(uint64_t);
      std::vector<uint64_t> values(count, weft_rank() + 1);
      ASSERT_EQ(
          weft_reduce_all(team, values.data(), WEFT_IN_PLACE, count, weft_reduction_of(WEFT_U64, WEFT_REDUCE_MAX), 0),
          WEFT_OK);
      EXPECT_EQ(values, std::vector<uint64_t>(count, weft_size()));
      const size_t block = size / weft_size();
      std::vector<char> mine(block, 'x'), all(block * weft_size());
      ASSERT_EQ(weft_gather_all(team, all.data(), mine.data(), block, 0), WEFT_OK);
      EXPECT_EQ(all, std::vector<char>(block * weft_size(), 'x'));
    }
    for (size_t size = 1; size <= broadcast; size *= 4) {
      std::memset(data, weft_rank() == 0 ? 'y' : 'n', size);
      ASSERT_EQ(weft_broadcast(team, data, data, size, 0, 0), WEFT_OK);
      EXPECT_EQ(data[size - 1], 'y');
    }
    weft_barrier();
  }
  weft_free(offset);
  weft_team_free(team);
}

RANK_TEST(TeamBarrier, NobodyLeavesBeforeEverybodyHasCome) {
  weft_test::SharedBlock block(weft_test::most_ranks * 8);
  weft_team_t team = 0;
  REQUIRE(weft_team_split(WEFT_TEAM_WORLD, static_cast<int32_t>(weft_rank() % 2), 0, &team) == WEFT_OK);
  for (uint64_t round = 1; round <= 100; ++round) {
    for (uint32_t member = 0; member < weft_team_size(team); ++member)
      weft_put_value(weft_team_world_rank(team, member), block.offset() + weft_rank() * 8, round, 8);
    weft_team_barrier(team);
    for (uint32_t member = 0; member < weft_team_size(team); ++member)
      ASSERT_EQ(block.words()[weft_team_world_rank(team, member)], round);
    weft_handle_t handle;
    weft_team_barrier_nb(team, &handle);
    weft_handle_wait(handle);
  }
  weft_team_free(team);
}

RANK_TEST(TeamBarrier, SplitPhasesOfTwoTeamsInterleaveAndValuesMustMatch) {
  weft_team_t team = 0;
  REQUIRE(weft_team_split(WEFT_TEAM_WORLD, 0, 0, &team) == WEFT_OK);
  for (int32_t round = 0; round < 50; ++round) {
    weft_team_barrier_notify(team, round, 0);
    weft_team_barrier_notify(WEFT_TEAM_WORLD, -round, 0);
    while (weft_team_barrier_try(WEFT_TEAM_WORLD, -round, 0) == 0) weft_test::progress();
    ASSERT_EQ(weft_team_barrier_wait(team, round, 0), WEFT_OK);
  }
  const int32_t value = weft_rank() == 0 ? 1 : 2;
  weft_team_barrier_notify(team, value, 0);
  int done = 0;
  while ((done = weft_team_barrier_try(team, value, 0)) == 0) weft_test::progress();
  EXPECT_EQ(done, weft_size() == 1 ? 1 : WEFT_ERR_MISMATCH);
  weft_team_barrier_notify(team, value, WEFT_BARRIER_ANONYMOUS);
  EXPECT_EQ(weft_team_barrier_wait(team, value, WEFT_BARRIER_ANONYMOUS), WEFT_OK);
  weft_team_free(team);
}

}  // namespace
