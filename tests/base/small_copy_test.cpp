// Copies of many elements of one size: exactly their bytes, at every size, at any alignment, stride and order.
#include "base/small_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace weft::base;

constexpr size_t largest = 300;
constexpr std::byte untouched{0xee};

std::vector<std::byte> random_bytes(size_t size) {
  std::mt19937_64 random(size);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 0xee);
  return bytes;
}

TEST(SmallCopy, RowsOfEverySize) {
  for (size_t size = 0; size <= largest; ++size)
    for (const size_t count : {0, 1, 3, 4, 5, 9})
      for (const bool backwards : {false, true}) {
        const auto to_stride = static_cast<ptrdiff_t>(size + 1 + size % 7), from_stride = static_cast<ptrdiff_t>(size);
        const std::vector<std::byte> source = random_bytes((size + 1) * 10);
        std::vector<std::byte> target((size + 9) * 10, untouched), expected = target;
        const auto last = static_cast<ptrdiff_t>(count == 0 ? 0 : count - 1);
        std::byte* const first = target.data() + 1 + (backwards ? last * to_stride : 0);
        copy_elements(size, Row{first, backwards ? -to_stride : to_stride},
                      Row{const_cast<std::byte*>(source.data()), from_stride}, count);
        for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(count); ++i)
          std::copy_n(source.begin() + i * from_stride, size,
                      expected.begin() + 1 + (backwards ? last - i : i) * to_stride);
        ASSERT_EQ(target, expected) << count << " elements of " << size << " bytes" << (backwards ? ", backwards" : "");
      }
}

TEST(SmallCopy, ListsOfEverySize) {
  struct Part {
    uint64_t position, unused;
  };
  for (size_t size = 0; size <= largest; ++size) {
    constexpr size_t count = 7;
    const std::vector<std::byte> source = random_bytes((size + 3) * count);
    std::vector<std::byte> target((size + 5) * count, untouched), expected = target;
    std::vector<Part> to;
    std::vector<const std::byte*> from;
    for (size_t i = 0; i < count; ++i) {
      to.push_back({(i * 3 % count) * (size + 5) + i, 0});
      from.push_back(source.data() + i * (size + 3));
      std::copy_n(from[i], size, expected.begin() + static_cast<ptrdiff_t>(to[i].position));
    }
    copy_elements(size, PlaceList{reinterpret_cast<uint64_t>(target.data()), to.data(), sizeof(Part)},
                  PlaceList{0, from.data(), sizeof from[0]}, count);
    ASSERT_EQ(target, expected) << "elements of " << size << " bytes";
  }
}

TEST(SmallCopy, PiecesOfEverySize) {
  for (size_t size = 0; size <= largest; ++size) {
    const std::vector<std::byte> source = random_bytes(size + 1);
    std::vector<std::byte> target(size + 2, untouched), expected = target;
    copy_piece(target.data() + 1, source.data(), size);
    std::copy_n(source.begin(), size, expected.begin() + 1);
    ASSERT_EQ(target, expected) << size << " bytes";
  }
}

}  // namespace
