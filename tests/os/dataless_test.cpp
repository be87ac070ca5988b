// Memory without data: what lies in it, and that its pages are given back.
#include "os/dataless.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <string>

#include "os/shared_memory.hpp"

namespace {

using weft::os::copy_data;
using weft::os::Dataless;
using weft::os::Mapping;

class DatalessMemory : public testing::Test {
 protected:
  static constexpr size_t page = 4096;

  void SetUp() override { ASSERT_TRUE(Mapping::reserve(16 * page, "a test", "", memory_).ok()); }
  void TearDown() override { Dataless::clear(); }
  std::byte* at(size_t offset) const { return memory_.address() + offset; }

 private:
  Mapping memory_;
};

TEST_F(DatalessMemory, IsNowhereUntilItIsDeclared) {
  EXPECT_FALSE(Dataless::any());
  EXPECT_FALSE(Dataless::holds(at(0)));
  ASSERT_TRUE(Dataless::add(at(page), 2 * page, false));
  EXPECT_TRUE(Dataless::any());
  EXPECT_FALSE(Dataless::holds(at(page - 1)));
  EXPECT_TRUE(Dataless::holds(at(page)));
  EXPECT_TRUE(Dataless::holds(at(3 * page - 1)));
  EXPECT_FALSE(Dataless::holds(at(3 * page)));
}

TEST_F(DatalessMemory, RangesComeInAnyOrderAndDoNotOverlap) {
  ASSERT_TRUE(Dataless::add(at(8 * page), page, false));
  ASSERT_TRUE(Dataless::add(at(2 * page), page, false));
  ASSERT_TRUE(Dataless::add(at(3 * page), page, false));  // beside another one
  EXPECT_TRUE(Dataless::add(at(0), 0, false));
  EXPECT_FALSE(Dataless::add(at(2 * page), 1, false));
  EXPECT_FALSE(Dataless::add(at(page), page + 1, false));
  EXPECT_FALSE(Dataless::add(at(7 * page), 8 * page, false));
  EXPECT_FALSE(Dataless::holds(at(7 * page)));
  EXPECT_FALSE(Dataless::remove(at(2 * page + 1)));
  EXPECT_TRUE(Dataless::remove(at(2 * page)));
  EXPECT_FALSE(Dataless::holds(at(2 * page)));
  EXPECT_TRUE(Dataless::holds(at(3 * page)));
  EXPECT_TRUE(Dataless::remove(at(3 * page)));
  EXPECT_TRUE(Dataless::remove(at(8 * page)));
  EXPECT_FALSE(Dataless::any());
}

// Ranges come and go while addresses are looked up, which are remembered.
TEST_F(DatalessMemory, IsWhereAListOfTheRangesHasIt) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr size_t size = 16 * page;
  std::map<size_t, size_t> ranges;  // from begin to end
  const auto holds = [&](size_t offset) {
    return std::ranges::any_of(ranges, [&](auto range) { return range.first <= offset && offset < range.second; });
  };
  for (int step = 0; step < 20'000; ++step) {
    const size_t offset = random() % size;
    if (step % 10 != 0) {
      ASSERT_EQ(Dataless::holds(at(offset)), holds(offset)) << "step " << step << ", offset " << offset;
    } else if (!ranges.empty() && random() % 2 == 0) {
      const auto gone = std::next(ranges.begin(), static_cast<std::ptrdiff_t>(random() % ranges.size()));
      ASSERT_TRUE(Dataless::remove(at(gone->first)));
      ranges.erase(gone);
    } else {
      const size_t end = std::min(offset + 1 + random() % page, size);
      bool is_free = true;
      for (size_t i = offset; i < end; ++i) is_free = is_free && !holds(i);
      ASSERT_EQ(Dataless::add(at(offset), end - offset, false), is_free);
      if (is_free) ranges[offset] = end;
    }
  }
}

TEST_F(DatalessMemory, WholePagesAreGivenBack) {
  *at(page) = std::byte{1};
  *at(2 * page) = std::byte{2};
  ASSERT_TRUE(Dataless::add(at(page), page + 1, true));
  EXPECT_EQ(*at(2 * page), std::byte{2});  // of a page that may be another's, too
  ASSERT_TRUE(Dataless::remove(at(page)));
  EXPECT_EQ(*at(page), std::byte{0});
  *at(page) = std::byte{3};
}

TEST_F(DatalessMemory, IsInaccessibleWhereItIsForbidden) {
  ASSERT_TRUE(Dataless::add(at(page), page, true));
  EXPECT_DEATH(*static_cast<volatile std::byte*>(at(page)) = std::byte{1}, "");
}

TEST_F(DatalessMemory, IsNeitherReadNorWrittenByCopies) {
  ASSERT_TRUE(Dataless::add(at(page), page, true));
  std::array<std::byte, 8> kept{};
  kept.fill(std::byte{5});
  EXPECT_EQ(copy_data(kept.data(), at(page), kept.size()), kept.data());
  EXPECT_EQ(kept[7], std::byte{5});
  copy_data(at(page), kept.data(), kept.size());
  copy_data(at(0), kept.data(), kept.size());
  EXPECT_EQ(*at(7), std::byte{5});
}

}  // namespace
