// A list of ranks is what it was made from, whether it is kept or computed.
#include "core/rank_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using weft::core::RankList;

void expect_same(const RankList& list, const std::vector<uint32_t>& ranks) {
  ASSERT_EQ(list.size(), ranks.size());
  for (uint32_t place = 0; place < ranks.size(); ++place) {
    EXPECT_EQ(list[place], ranks[place]) << testing::PrintToString(ranks);
    EXPECT_EQ(list.find(ranks[place]), place) << testing::PrintToString(ranks);
  }
  for (uint32_t rank = 0; rank < 40; ++rank) {
    const bool listed = std::ranges::find(ranks, rank) != ranks.end();
    EXPECT_EQ(list.find(rank) != RankList::nowhere, listed) << testing::PrintToString(ranks) << rank;
  }
}

TEST(RankList, IsWhatItWasMadeFrom) {
  const std::vector<std::vector<uint32_t>> lists = {
      {}, {0}, {7}, {0, 1, 2}, {3, 5, 7, 9}, {9, 7, 5}, {2, 0}, {0, 1, 3}, {4, 2, 3}, {31, 0}, {5, 4, 3, 2, 1, 0}};
  for (const std::vector<uint32_t>& ranks : lists) expect_same(RankList(ranks), ranks);
  expect_same(RankList(3, 4, 3), {3, 7, 11});
  expect_same(RankList(), {});
}

TEST(RankList, KeepsNothingOfRanksAnEqualDistanceApart) {
  EXPECT_EQ(RankList(std::vector<uint32_t>{0, 1, 2, 3}).bytes(), 0u);
  EXPECT_EQ(RankList(std::vector<uint32_t>{9, 7, 5}).bytes(), 0u);
  EXPECT_EQ(RankList(std::vector<uint32_t>{0, 1, 3}).bytes(), 3 * sizeof(uint32_t));
}

TEST(RankList, ThePlacesOfAListInAListAreAList) {
  const std::vector<uint32_t> regular = {20, 18, 16, 14, 12, 10}, listed = {9, 2, 7, 1, 30, 4};
  for (const std::vector<uint32_t>& ranks : {regular, listed})
    for (const std::vector<uint32_t>& places :
         std::vector<std::vector<uint32_t>>{{}, {3}, {0, 1, 2, 3, 4, 5}, {5, 3, 1}, {1, 0, 4}}) {
      std::vector<uint32_t> expected;
      for (const uint32_t place : places) expected.push_back(ranks[place]);
      expect_same(RankList(ranks).at(RankList(places)), expected);
    }
  EXPECT_TRUE(RankList(8, 4, 100).at(RankList(3, 2, 10)).is_regular());
}

TEST(RankList, TheWholeJobIsAllRanksInTheirOrder) {
  EXPECT_TRUE(RankList(std::vector<uint32_t>{0, 1, 2}).is_whole(3));
  EXPECT_TRUE(RankList(std::vector<uint32_t>{0}).is_whole(1));
  EXPECT_FALSE(RankList(std::vector<uint32_t>{0, 1, 2}).is_whole(4));
  EXPECT_FALSE(RankList(std::vector<uint32_t>{2, 1, 0}).is_whole(3));
  EXPECT_FALSE(RankList(std::vector<uint32_t>{1, 2, 3}).is_whole(3));
}

}  // namespace
