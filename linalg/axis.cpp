#include "linalg/axis.hpp"

#include <algorithm>

namespace weft::la {

int64_t Axis::before(uint32_t part, int64_t index) const {
  const int64_t turns = index / block / parts;  // complete ones
  const int64_t rest = index - turns * parts * block - distance(part) * block;
  return turns * block + std::clamp<int64_t>(rest, 0, block);
}

std::vector<Interval> Axis::intervals(uint32_t part, int64_t begin, int64_t end, int64_t shift) const {
  std::vector<Interval> found;
  const int64_t last = before(part, end);
  for (int64_t number = before(part, begin); number < last;) {
    const int64_t index = global(part, number);
    const int64_t count = std::min(block_end(index) - index, last - number);
    if (!found.empty() && found.back().start + found.back().count == index + shift) {
      found.back().count += count;
    } else {
      found.push_back({index + shift, count});
    }
    number += count;
  }
  return found;
}

std::vector<Run> runs_of(const Axis& axis, const std::vector<Interval>& intervals) {
  std::vector<Run> runs;
  int64_t position = 0;
  for (const Interval& interval : intervals) {
    const int64_t end = interval.start + interval.count;
    for (int64_t index = interval.start; index < end;) {
      const int64_t count = axis.parts == 1 ? end - index : std::min(axis.block_end(index), end) - index;
      const Run run{axis.owner(index), axis.local(index), count, position};
      if (!runs.empty() && runs.back().owner == run.owner && runs.back().local + runs.back().count == run.local) {
        runs.back().count += count;
      } else {
        runs.push_back(run);
      }
      index += count;
      position += count;
    }
  }
  return runs;
}

}  // namespace weft::la
