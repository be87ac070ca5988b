#include "coll/choice.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "coll/algorithm.hpp"
#include "coll/stages.hpp"
#include "coll/table.hpp"

namespace weft::coll {

// ---- Size classes ----

size_t PlanCache::largest(uint32_t size_class) {
  if (size_class < 2) return size_class;
  const uint32_t k = (size_class - 2) / 2;
  return (size_class - 2) % 2 == 1 || k == 0 ? size_t{2} << k : size_t{3} << (k - 1);
}

size_t PlanCache::number(const Shape& shape) {
  return kind_of(shape.op, shape.commutative) * classes + class_of(shape.size);
}

PlanCache::PlanCache() = default;
PlanCache::~PlanCache() = default;

const Stages* PlanCache::keep(std::unique_ptr<const Stages> stages) {
  stages_.push_back(std::move(stages));
  return stages_.back().get();
}

// ---- Choosing ----

namespace {

// By conduit: what ranks of one host without mapped memory talk through.
Model unmapped(core::Rank& rank, double share) {
  const std::string& transport = rank.transport();
  return transport == "ofi" || transport == "mpi" ? loopback(share) : queues_in_memory(share);
}

// Ranks of this host have each other's memory.
bool mapped_inside(core::Rank& rank) {
  for (const conduit::RankId peer : rank.hosts().ranks_of(rank.hosts().host_of(rank.id())))
    if (rank.conduit().mapped(peer) == nullptr) return false;
  return true;
}

constexpr uint64_t crowded_somewhere = 1, unmapped_somewhere = 2;

}  // namespace

uint64_t Choice::differing(core::Rank& rank) {
  return (rank.capabilities().crowded ? crowded_somewhere : 0) | (mapped_inside(rank) ? 0 : unmapped_somewhere);
}

void Choice::adjust(core::Rank& rank, uint64_t differing_anywhere) {
  crowded_ = (differing_anywhere & crowded_somewhere) != 0;
  const bool mapped = (differing_anywhere & unmapped_somewhere) == 0;
  direct_inside_ = mapped && rank.capabilities().may_bypass;
  const uint32_t hosts = rank.hosts().count();
  const double share = crowded_ ? std::max(2.0, static_cast<double>(rank.hosts().largest()) / 2) : 1;
  inside_ = mapped ? mapped_memory(share) : unmapped(rank, share);
  between_ = network(crowded_, rank.capabilities().lossless);
  machine_ = rank.transport() + (hosts == 1 ? "" : " " + std::to_string(hosts) + "-hosts") +
             (mapped ? " mapped" : " not-mapped") + (crowded_ ? " crowded" : " not-crowded");
  table_->load(rank.settings().tune_file, machine_, rank.id() == 0);
}

Choice::Choice(core::Rank& rank) : table_(std::make_unique<Table>()), forced_(rank.id() == 0) {
  if (rank.hosts().count() == 1) adjust(rank, differing(rank));
  (void)forced_.read(rank.settings().coll);  // check() has looked at it
  forced_.tell_of_several();
}

Status Choice::check(const base::Settings& settings) { return ForcedPlans(false).read(settings.coll); }

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

Model Choice::model(const Shape& shape) const {
  if (shape.spread.hosts == 1) return inside_;
  Model model = between_;
  model.share = shape.spread.most;  // all members of a host send through its link
  model.inside = &inside_;
  return model;
}

double expected_ns(const Model& model, const Shape& shape, const Plan& plan) {
  const bool task = plan.algorithm->at_once == nullptr || !shape.direct;
  return plan.algorithm->cost(model, shape, plan) + (task ? model.task_ns * model.share : 0);
}

double Choice::predict(const Shape& shape, const Plan& plan) const { return expected_ns(model(shape), shape, plan); }

Plan cheapest(const Model& model, const Shape& shape, uint32_t least) {
  Shape smallest = shape;
  smallest.members = least;
  Plan best;
  double least_cost = std::numeric_limits<double>::infinity();
  for_each_candidate(shape, [&](const Plan& plan) {
    if (least != shape.members && !plan.algorithm->fits(smallest, plan)) return;
    const double cost = expected_ns(model, shape, plan);
    if (cost >= least_cost) return;
    least_cost = cost;
    best = plan;
  });
  return best;
}

Decision Choice::decide(const Shape& shape) {
  if (const Plan* forced = forced_.choose(shape); forced != nullptr) return {.plan = *forced, .reason = Reason::forced};
  if (const Measurement* measured = table_->best(shape); measured != nullptr)
    return {.plan = measured->plan, .reason = Reason::table, .measured_size = measured->size};
  return {.plan = cheapest(model(shape), shape, shape.members)};
}

}  // namespace weft::coll
