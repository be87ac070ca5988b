#include "coll/choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "base/log.hpp"
#include "coll/algorithm.hpp"
#include "coll/table.hpp"

namespace weft::coll {

// ---- Size classes ----

// 0 is size 0; then two classes per octave: (2^k, 1.5 * 2^k] and (1.5 * 2^k, 2^(k + 1)].
uint32_t PlanCache::class_of(size_t size) {
  if (size <= 1) return static_cast<uint32_t>(size);
  const auto k = static_cast<uint32_t>(std::bit_width(size - 1)) - 1;
  const bool upper = k > 0 && size > (size_t{3} << (k - 1));
  return std::min(classes - 1, 2 + 2 * k + static_cast<uint32_t>(upper));
}

size_t PlanCache::largest(uint32_t size_class) {
  if (size_class < 2) return size_class;
  const uint32_t k = (size_class - 2) / 2;
  return (size_class - 2) % 2 == 1 || k == 0 ? size_t{2} << k : size_t{3} << (k - 1);
}

Plan& PlanCache::entry(const Shape& shape) {
  constexpr size_t kinds = 2 * static_cast<size_t>(Op::count);
  if (plans_.empty()) plans_.resize(kinds * classes);
  const size_t kind = 2 * static_cast<size_t>(shape.op) + shape.commutative;
  return plans_[kind * classes + class_of(shape.size)];
}

// ---- Choosing ----

namespace {

// What was measured on shared memory and on a network of 1 Gbit/s; weft-tune measures the machine at hand.
Model model_of(core::Rank& rank) {
  Model model;
  const bool one_host = rank.conduit().host_size() == rank.size();
  const bool mapped = rank.size() == 1 || rank.conduit().mapped((rank.id() + 1) % rank.size()) != nullptr;
  if (one_host && mapped)
    model = {.latency_ns = 100, .overhead_ns = 25, .byte_ns = 0.06, .combine_byte_ns = 0.02};
  else if (one_host)
    model = {.latency_ns = 500, .overhead_ns = 200, .byte_ns = 0.3, .combine_byte_ns = 0.1};
  else
    model = {.latency_ns = 15'000, .overhead_ns = 2'000, .byte_ns = 8, .combine_byte_ns = 0.1};
  if (rank.capabilities().crowded) {
    model.share = std::max(2.0, static_cast<double>(rank.conduit().host_size()) / 2);
    model.switch_ns = 6'000;
  }
  return model;
}

std::string machine_of(core::Rank& rank) {
  const bool mapped = rank.size() == 1 || rank.conduit().mapped((rank.id() + 1) % rank.size()) != nullptr;
  return rank.settings().conduit + (mapped ? " mapped" : " not-mapped") +
         (rank.capabilities().crowded ? " crowded" : " not-crowded");
}

uint64_t number_in(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

// "reduce_all=tree:4" or "broadcast=pipeline:2:65536"; entries separated by commas.
bool parse_entry(const std::string& entry, std::pair<Op, Plan>& forced) {
  const size_t equals = entry.find('=');
  if (equals == std::string::npos) return false;
  std::string rest = entry.substr(equals + 1);
  std::string fields[3];
  for (std::string& field : fields) {
    const size_t colon = rest.find(':');
    field = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  for (const Algorithm* candidate : algorithms()) {
    if (entry.substr(0, equals) != name_of(candidate->op) || fields[0] != candidate->name) continue;
    const uint32_t radix = candidate->radices.empty() ? 0 : candidate->radices[0];
    const uint64_t segment = candidate->segments.empty() ? 0 : candidate->segments[0];
    forced = {candidate->op,
              {.algorithm = candidate,
               .radix = fields[1].empty() ? radix : static_cast<uint32_t>(number_in(fields[1])),
               .segment = fields[2].empty() ? segment : number_in(fields[2])}};
    return candidate->radices.empty() || forced.second.radix >= candidate->radices[0];
  }
  return false;
}

}  // namespace

Choice::Choice(core::Rank& rank)
    : model_(model_of(rank)), machine_(machine_of(rank)), table_(std::make_unique<Table>()) {
  table_->load(rank.settings().tune_file, machine_);
  std::string text = rank.settings().coll;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string entry = text.substr(0, comma);
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
    std::pair<Op, Plan> forced;
    if (parse_entry(entry, forced))
      forced_.push_back(forced);
    else
      base::log_warning("setting WEFT_COLL: '%s' names no algorithm; it is ignored", entry.c_str());
  }
}

void for_each_candidate(const Shape& shape, const std::function<void(const Plan&)>& visit) {
  constexpr uint32_t no_radix[] = {0};
  constexpr uint64_t no_segment[] = {0};
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->op != shape.op) continue;
    for (const uint32_t radix : algorithm->radices.empty() ? std::span<const uint32_t>(no_radix) : algorithm->radices) {
      for (const uint64_t segment :
           algorithm->segments.empty() ? std::span<const uint64_t>(no_segment) : algorithm->segments) {
        const Plan plan = {.algorithm = algorithm, .radix = radix, .segment = segment};
        if (algorithm->fits(shape, plan)) visit(plan);
      }
    }
  }
}

Choice::~Choice() = default;

double Choice::predict(const Shape& shape, const Plan& plan) const { return plan.algorithm->cost(model_, shape, plan); }

Plan Choice::choose(const Shape& shape) const {
  for (const auto& [op, plan] : forced_)
    if (op == shape.op && plan.algorithm->fits(shape, plan)) return plan;
  Plan best = table_->best(shape);
  if (best.algorithm != nullptr) return best;
  double least = std::numeric_limits<double>::infinity();
  for_each_candidate(shape, [&](const Plan& plan) {
    const double cost = predict(shape, plan);
    if (cost >= least) return;
    least = cost;
    best = plan;
  });
  return best;
}

}  // namespace weft::coll
