// Which algorithm serves a call: Choice::decide(), behind which lie the model, a table of measurements, or a forced
// choice. The answer is a function of what all members know alike, so that they agree without talking.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coll/forced.hpp"
#include "coll/model.hpp"
#include "coll/plan.hpp"
#include "core/rank.hpp"

namespace weft::coll {

/// Why a plan is the choice.
enum class Reason { model, table, forced, set };  // set: weft_tune_set()

struct Decision {
  Plan plan = {};
  Reason reason = Reason::model;
  size_t measured_size = 0;  // by the table: of the measurement that decided
};

/// What an algorithm takes of every member's scratch space.
struct Room {
  uint32_t lines = 0;
  size_t slot = 0;  // bytes of each
  size_t bulk = 0;  // bytes of all slots, as far as they do not fit into lines
};

/// Plans by size class: half octaves, judged by the class's largest size. Programs use few, and a job has many ranks
/// and teams, so classes take memory by sixteen, with the first use of one.
class PlanCache {
 public:
  static constexpr uint32_t classes = 128;
  /// 0 is size 0; then two classes per octave: (2^k, 1.5 * 2^k] and (1.5 * 2^k, 2^(k + 1)].
  static uint32_t class_of(size_t size) {
    if (size <= 1) return static_cast<uint32_t>(size);
    const auto k = static_cast<uint32_t>(std::bit_width(size - 1)) - 1;
    const bool upper = k > 0 && size > (size_t{3} << (k - 1));
    return std::min(classes - 1, 2 + 2 * k + static_cast<uint32_t>(upper));
  }
  static size_t largest(uint32_t size_class);
  /// What was decided for a class; and what the size of it that was asked for last needs in scratch space.
  struct Entry {
    static constexpr size_t none = ~size_t{0};
    Decision decision;
    size_t size = none;
    size_t element = 0;
    bool commutative = true;
    Room room = {};
  };
  /// The entry of this operation and size; its algorithm is null at first.
  Entry& entry(Op op, bool commutative, size_t size) {
    const uint32_t number = class_of(size);
    std::unique_ptr<Sixteen>& some = rows_[kind_of(op, commutative)][number / most_together];
    if (some == nullptr) some = std::make_unique<Sixteen>();
    return (*some)[number % most_together];
  }
  Entry& entry(const Shape& shape) { return entry(shape.op, shape.commutative, shape.size); }
  /// The entry of the operation that was fitted last.
  Entry*& recent(Op op) { return recent_[static_cast<size_t>(op)]; }
  /// Of the entry.
  static size_t number(const Shape& shape);
  /// As long as the cache lives.
  const Stages* keep(std::unique_ptr<const Stages> stages);

  PlanCache();
  ~PlanCache();

 private:
  static constexpr uint32_t most_together = 16;
  using Sixteen = std::array<Entry, most_together>;
  using Row = std::array<std::unique_ptr<Sixteen>, classes / most_together>;
  static size_t kind_of(Op op, bool commutative) { return 2 * static_cast<size_t>(op) + commutative; }

  std::array<Row, 2 * static_cast<size_t>(Op::count)> rows_;
  std::array<Entry*, static_cast<size_t>(Op::count)> recent_ = {};
  std::vector<std::unique_ptr<const Stages>> stages_;
};

/// All plans that could serve.
void for_each_candidate(const Shape& shape, const std::function<void(const Plan&)>& visit);

/// Nanoseconds of a call with this plan, of many that follow each other.
double expected_ns(const Model& model, const Shape& shape, const Plan& plan);

/// The one with the least cost, of those that also fit teams of `least` members.
Plan cheapest(const Model& model, const Shape& shape, uint32_t least);

class Table;

class Choice {
 public:
  /// Ranks of different hosts must agree on what differs between hosts: call adjust() then.
  explicit Choice(core::Rank& rank);
  ~Choice();
  /// WEFT_ERR_INVALID, after a line that says why, if WEFT_COLL is wrong. Before there is a Choice.
  static Status check(const base::Settings& settings);
  /// What may differ from host to host: whether ranks outnumber processors, whether they are not mapped. Any of them.
  static uint64_t differing(core::Rank& rank);
  void adjust(core::Rank& rank, uint64_t differing_anywhere);

  /// Rank 0 warns of what WEFT_COLL has that cannot serve the team, once. Of several entries for an operation the first
  /// that fits counts.
  Decision decide(const Shape& shape);
  /// WEFT_COLL names the algorithm.
  bool forced(const Shape& shape) const { return forced_.any(shape); }
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
  std::unique_ptr<Table> table_;  // WEFT_TUNE_FILE
  ForcedPlans forced_;
};

}  // namespace weft::coll
