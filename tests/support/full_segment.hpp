// A segment without room, for tests of what happens then.
#pragma once

#include <vector>

#include "support/ranks.hpp"
#include "weft/detail/library.h"
#include "weft/segment.h"

namespace weft_test {

/// All that this rank's segment has left, but for a hole of so many bytes.
class FullSegment {
 public:
  explicit FullSegment(size_t hole) {
    const bool silent = weft_detail_silent_where_full(true);
    size_t free_again = 0;
    if (hole != 0) REQUIRE(weft_alloc(hole, 0, &free_again) == WEFT_OK);
    for (size_t bytes = weft_segment_size(); bytes >= 64;) {
      size_t offset = 0;
      if (weft_alloc(bytes, 0, &offset) == WEFT_OK) {
        taken_.push_back(offset);
      } else {
        bytes /= 2;
      }
    }
    if (hole != 0) weft_free(free_again);
    weft_detail_silent_where_full(silent);
  }
  ~FullSegment() {
    for (size_t offset : taken_) weft_free(offset);
  }
  FullSegment(const FullSegment&) = delete;
  FullSegment& operator=(const FullSegment&) = delete;

 private:
  std::vector<size_t> taken_;
};

}  // namespace weft_test
