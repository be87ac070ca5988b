// A table of measured times, as weft-tune writes it:
//
//   weft-tune 1
//   machine smp mapped not-crowded
//   # comments
//   reduce_all 4 65536 shared 0 0 10356.0      operation members bytes algorithm radix segment ns
//   end 1                                      number of measurements: a file that was cut off lacks it
//
// Algorithms are named, so that a table outlives the version that wrote it. A file that is not such a table, or was
// measured on another kind of machine or has another version in its first line, is refused by its content with a line
// that says where, and the model chooses.
#pragma once

#include <string>
#include <vector>

#include "coll/choice.hpp"

namespace weft::coll {

struct Measurement {
  Op op;
  uint32_t members;
  size_t size;
  uint32_t size_class;
  Plan plan;
  double ns;
};

class Table {
 public:
  /// Empty if `path` is, or if the file is refused; if `tell`, the log says why.
  void load(const std::string& path, const std::string& machine, bool tell);
  /// The best that was measured for this operation, number of members and size, or the size nearest to it within two
  /// octaves. Null if there is none that fits.
  const Measurement* best(const Shape& shape) const;
  /// 0 if it was not measured.
  double time(const Shape& shape, const Plan& plan) const;

 private:
  bool parse_line(const std::string& line);

  std::vector<Measurement> measurements_;
  size_t unknown_ = 0;  // lines that name what this version does not have
};

}  // namespace weft::coll
