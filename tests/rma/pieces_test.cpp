// Folding of shapes: the pieces cover exactly what a naive enumeration covers, in its order, and are as few as they can
// be where everything is contiguous.
#include "rma/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace weft::rma;

// Byte by byte: (remote offset, local address).
using Bytes = std::vector<std::pair<uint64_t, std::byte*>>;

template <class Shape>
Bytes bytes_of(const Shape& shape, size_t* pieces = nullptr) {
  Bytes bytes;
  size_t count = 0;
  shape.for_each_piece([&](uint64_t offset, std::byte* local, size_t size) {
    EXPECT_GT(size, 0u);
    ++count;
    for (size_t i = 0; i < size; ++i) bytes.emplace_back(offset + i, local + i);
  });
  if (pieces) *pieces = count;
  return bytes;
}

std::byte* address(uint64_t value) { return reinterpret_cast<std::byte*>(value); }

Bytes naive(uint64_t remote, const ptrdiff_t* remote_stride, uint64_t local, const ptrdiff_t* local_stride,
            size_t element, const size_t* count, size_t dimensions) {
  Bytes bytes;
  std::vector<size_t> index(dimensions, 0);
  for (size_t d = 0; d < dimensions; ++d)
    if (count[d] == 0) return bytes;
  for (;;) {
    uint64_t far = remote, near = local;
    for (size_t d = 0; d < dimensions; ++d) {
      far += static_cast<uint64_t>(remote_stride[d]) * index[d];
      near += static_cast<uint64_t>(local_stride[d]) * index[d];
    }
    for (size_t i = 0; i < element; ++i) bytes.emplace_back(far + i, address(near + i));
    size_t d = 0;
    while (d < dimensions && ++index[d] == count[d]) index[d++] = 0;
    if (d == dimensions) return bytes;
  }
}

TEST(Strided, PiecesCoverWhatANaiveEnumerationCovers) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    const size_t dimensions = random() % 6;
    size_t count[6];
    ptrdiff_t remote[6], local[6];
    const size_t element = random() % 9;
    ptrdiff_t far = static_cast<ptrdiff_t>(element), near = far;
    for (size_t d = 0; d < dimensions; ++d) {
      count[d] = random() % 5;
      // Often the dimension continues what is before it, on one side or both, so that folding has something to do.
      remote[d] = random() % 3 != 0 ? far : static_cast<ptrdiff_t>(random() % 50) - 25;
      local[d] = random() % 3 != 0 ? near : static_cast<ptrdiff_t>(random() % 50) - 25;
      far = remote[d] * static_cast<ptrdiff_t>(count[d]);
      near = local[d] * static_cast<ptrdiff_t>(count[d]);
    }
    const Strided shape(1 << 20, remote, address(1 << 24), local, element, count, dimensions);
    ASSERT_EQ(bytes_of(shape), naive(1 << 20, remote, 1 << 24, local, element, count, dimensions)) << "round " << round;
  }
}

TEST(Strided, AContiguousBlockIsOnePiece) {
  const size_t count[] = {10, 1, 7, 3};
  const ptrdiff_t stride[] = {8, 12345, 80, 560};
  size_t pieces = 0;
  EXPECT_EQ(bytes_of(Strided(4096, stride, address(1 << 20), stride, 8, count, 4), &pieces).size(), 8u * 210);
  EXPECT_EQ(pieces, 1u);
}

TEST(Strided, RowsThatAreContiguousOnBothSidesArePieces) {
  const size_t count[] = {10, 7};
  const ptrdiff_t remote[] = {8, 100}, local[] = {8, 80};
  size_t pieces = 0;
  bytes_of(Strided(4096, remote, address(1 << 20), local, 8, count, 2), &pieces);
  EXPECT_EQ(pieces, 7u);
}

TEST(PartLists, PiecesPairTheBytesOfBothSidesInOrder) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Part> far, near;
    Bytes expected;
    std::vector<uint64_t> far_bytes, near_bytes;
    auto fill = [&](std::vector<Part>& parts, std::vector<uint64_t>& bytes, size_t total) {
      uint64_t at = 1 << 16;
      while (total > 0 || random() % 4 == 0) {
        const size_t size = std::min<size_t>(total, random() % 20);
        parts.push_back({at, size});
        for (size_t i = 0; i < size; ++i) bytes.push_back(at + i);
        at += size + (random() % 2 == 0 ? 0 : random() % 9);
        total -= size;
      }
    };
    const size_t total = random() % 200;
    fill(far, far_bytes, total);
    fill(near, near_bytes, total);
    for (size_t i = 0; i < total; ++i) expected.emplace_back(far_bytes[i], address(near_bytes[i]));
    const PartLists lists{far.size(), [&](size_t i) { return far[i]; }, near.size(), [&](size_t i) { return near[i]; }};
    ASSERT_TRUE(lists.consistent());
    ASSERT_EQ(bytes_of(lists), expected) << "round " << round;
  }
}

TEST(PartLists, AdjacentPartsBecomeOnePiece) {
  auto part = [](size_t i) { return Part{4096 + i * 8, 8}; };
  size_t pieces = 0;
  EXPECT_EQ(bytes_of(PartLists{100, part, 100, part}, &pieces).size(), 800u);
  EXPECT_EQ(pieces, 1u);
}

TEST(PartLists, ListsThatPairOfOneSizeAreUniform) {
  auto part = [](size_t) { return Part{4096, 8}; };
  auto mixed = [](size_t i) { return Part{4096, i == 2 ? 9u : 8u}; };
  EXPECT_EQ((PartLists{3, part, 3, part}.uniform_size()), 8u);
  EXPECT_EQ((PartLists{3, part, 2, part}.uniform_size()), 0u);
  EXPECT_EQ((PartLists{0, part, 0, part}.uniform_size()), 0u);
  EXPECT_EQ((PartLists{3, part, 3, mixed}.uniform_size()), 0u);
  EXPECT_EQ((PartLists{3, mixed, 3, part}.uniform_size()), 0u);
}

TEST(PartLists, MoreBytesThanASizeHoldsAreInconsistent) {
  auto wraps = [](size_t i) { return Part{4096, i == 0 ? SIZE_MAX : 9u}; };
  auto part = [](size_t) { return Part{4096, 8}; };
  EXPECT_FALSE((PartLists{2, wraps, 1, part}.consistent()));
  EXPECT_FALSE((PartLists{2, wraps, 2, wraps}.consistent()));
  EXPECT_EQ((PartLists{2, wraps, 1, part}.remote_total()), impossible);
}

TEST(PartLists, SidesOfDifferentSizeAreInconsistent) {
  auto part = [](size_t) { return Part{4096, 8}; };
  EXPECT_FALSE((PartLists{2, part, 3, part}.consistent()));
  EXPECT_TRUE((PartLists{0, part, 0, part}.consistent()));
}

}  // namespace
