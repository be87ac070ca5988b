// Which algorithm serves a call: choose(), behind which lie the model, a table of measurements, or a forced choice. The
// answer is a function of what all members know alike, so that they agree without talking.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coll/model.hpp"
#include "coll/request.hpp"
#include "core/rank.hpp"

namespace weft::coll {

struct Algorithm;

struct Plan {
  const Algorithm* algorithm = nullptr;
  uint32_t radix = 0;    // 0: the algorithm has none
  uint64_t segment = 0;  // bytes; 0: not cut
};

/// What a choice may depend on.
struct Shape {
  Op op = Op::barrier;
  uint32_t members = 1;
  size_t size = 0;     // as Request::size
  size_t element = 1;  // reductions: bytes
  bool commutative = true;
  bool direct = false;  // all members' memory is mapped
};

/// Plans by size class: half octaves, judged by the class's largest size.
class PlanCache {
 public:
  static constexpr uint32_t classes = 128;
  static uint32_t class_of(size_t size);
  static size_t largest(uint32_t size_class);
  /// The entry of this operation and size; its algorithm is null at first.
  Plan& entry(const Shape& shape);

 private:
  std::vector<Plan> plans_;  // by operation, commutativity and class; made at the first call
};

/// All plans that could serve.
void for_each_candidate(const Shape& shape, const std::function<void(const Plan&)>& visit);

class Table;

class Choice {
 public:
  explicit Choice(core::Rank& rank);
  ~Choice();
  Plan choose(const Shape& shape) const;
  double predict(const Shape& shape, const Plan& plan) const;
  const Table& table() const { return *table_; }
  /// What kind of machine a table is about.
  const std::string& machine() const { return machine_; }

 private:
  Model model_;
  std::string machine_;
  std::unique_ptr<Table> table_;             // WEFT_TUNE_FILE
  std::vector<std::pair<Op, Plan>> forced_;  // WEFT_COLL
};

}  // namespace weft::coll
