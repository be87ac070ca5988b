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
struct Stages;

struct Plan {
  const Algorithm* algorithm = nullptr;
  uint32_t radix = 0;              // 0: the algorithm has none
  uint64_t segment = 0;            // bytes; 0: not cut
  const Stages* stages = nullptr;  // of an algorithm that is put together from others (stages.hpp)
};

/// How the members of a team are spread over hosts, as all of them know it.
struct Spread {
  uint32_t hosts = 1;
  uint32_t most = 1, least = 1;  // members on a host
  bool in_blocks = true;         // the members of a host follow each other
  bool direct = false;           // members of one host have each other's memory mapped
};

/// What a choice may depend on.
struct Shape {
  Op op = Op::barrier;
  uint32_t members = 1;
  size_t size = 0;     // as Request::size
  size_t element = 1;  // reductions: bytes
  bool commutative = true;
  bool direct = false;  // all members' memory is mapped
  Spread spread = {};
};

/// Plans by size class: half octaves, judged by the class's largest size.
class PlanCache {
 public:
  static constexpr uint32_t classes = 128;
  static uint32_t class_of(size_t size);
  static size_t largest(uint32_t size_class);
  /// The entry of this operation and size; its algorithm is null at first.
  Plan& entry(const Shape& shape);
  /// Of the entry.
  static size_t number(const Shape& shape);
  /// As long as the cache lives.
  const Stages* keep(std::unique_ptr<const Stages> stages);

  PlanCache();
  ~PlanCache();

 private:
  std::vector<Plan> plans_;  // by operation, commutativity and class; made at the first call
  std::vector<std::unique_ptr<const Stages>> stages_;
};

/// All plans that could serve.
void for_each_candidate(const Shape& shape, const std::function<void(const Plan&)>& visit);

/// The one with the least cost, of those that also fit teams of `least` members.
Plan cheapest(const Model& model, const Shape& shape, uint32_t least);

class Table;

class Choice {
 public:
  /// Ranks of different hosts must agree on what differs between hosts: call adjust() then.
  explicit Choice(core::Rank& rank);
  ~Choice();
  /// What may differ from host to host: whether ranks outnumber processors, whether they are not mapped. Any of them.
  static uint64_t differing(core::Rank& rank);
  void adjust(core::Rank& rank, uint64_t differing_anywhere);

  Plan choose(const Shape& shape) const;
  /// WEFT_COLL names the algorithm.
  bool forced(const Shape& shape) const;
  double predict(const Shape& shape, const Plan& plan) const;
  Model model(const Shape& shape) const;
  /// Ranks of one host have each other's memory mapped, on all hosts.
  bool direct_inside() const { return direct_inside_; }
  const Table& table() const { return *table_; }
  /// What kind of machine a table is about.
  const std::string& machine() const { return machine_; }

 private:
  Model inside_, between_;
  bool crowded_ = false, direct_inside_ = false;
  std::string machine_;
  std::unique_ptr<Table> table_;             // WEFT_TUNE_FILE
  std::vector<std::pair<Op, Plan>> forced_;  // WEFT_COLL
};

}  // namespace weft::coll
