#include "conduit/stream_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

TEST(StreamCopy, CopiesExactlyForAllAlignmentsAndSizes) {
  constexpr size_t margin = 64, most = 1100;
  std::vector<unsigned char> source(most + 3 * margin), expected, destination;
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 11 + i / 256);
  for (size_t to = 0; to < 64; to += to < 8 ? 1 : 7) {
    for (size_t from = 0; from < 64; from += from < 4 ? 1 : 13) {
      for (size_t size = 0; size <= most; size += size < 300 ? 1 : 61) {
        destination.assign(most + 3 * margin, 0xdd);
        expected.assign(most + 3 * margin, 0xdd);
        weft::conduit::stream_copy(destination.data() + margin + to, source.data() + from, size);
        weft::conduit::stream_fence();
        std::memcpy(expected.data() + margin + to, source.data() + from, size);
        ASSERT_EQ(destination == expected, true) << size << " bytes to +" << to << " from +" << from;
      }
    }
  }
}

}  // namespace
