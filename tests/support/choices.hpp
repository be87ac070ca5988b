// What the tests of all interleavings choose by: a run asks which of several things happens next, and is run again
// until every sequence of answers has been given.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace weft_test {

/// Depth-first search over sequences of choices, by running again and again.
class Choices {
 public:
  size_t choose(size_t count) {
    if (count == 1) return 0;
    if (depth_ == path_.size()) path_.push_back({0, count});
    EXPECT_EQ(path_[depth_].second, count) << "the run is not deterministic";
    return path_[depth_++].first;
  }
  /// Prepares the next run; false if all have been done.
  bool next() {
    depth_ = 0;
    while (!path_.empty() && path_.back().first + 1 == path_.back().second) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<size_t, size_t>> path_;
  size_t depth_ = 0;
};

}  // namespace weft_test
