#include "coll/choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "base/log.hpp"
#include "base/parse.hpp"
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
  for (conduit::RankId peer = 0; peer < rank.size(); ++peer)
    if (rank.hosts().together(peer, rank.id()) && rank.conduit().mapped(peer) == nullptr) return false;
  return true;
}

constexpr uint64_t crowded_somewhere = 1, unmapped_somewhere = 2;

// `value` stays if the text is empty.
bool parse_number(const std::string& text, uint64_t& value) {
  return text.empty() || base::parse_size(text.c_str(), value);
}

// "reduce_all=tree:4" or "broadcast=pipeline:2:65536"; entries separated by commas. Returns what is wrong, or "".
std::string parse_entry(const std::string& entry, ForcedPlan& forced) {
  const size_t equals = entry.find('=');
  if (equals == std::string::npos) return "expected operation=algorithm[:radix[:segment]]";
  std::string rest = entry.substr(equals + 1);
  std::string fields[3];
  for (std::string& field : fields) {
    const size_t colon = rest.find(':');
    field = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  const std::string operation = entry.substr(0, equals);
  std::string names;
  for (const Algorithm* candidate : algorithms()) {
    if (operation != name_of(candidate->op)) continue;
    names += (names.empty() ? "" : ", ") + std::string(candidate->name);
    if (fields[0] != candidate->name) continue;
    const uint64_t least = candidate->radices.empty() ? 0 : candidate->radices[0];
    uint64_t radix = least;
    uint64_t segment = candidate->segments.empty() ? 0 : candidate->segments[0];
    if (!parse_number(fields[1], radix) || radix > UINT32_MAX) return "'" + fields[1] + "' is no radix";
    if (!parse_number(fields[2], segment)) return "'" + fields[2] + "' is no segment size";
    if (radix < least) return "the radix of " + fields[0] + " is at least " + std::to_string(least);
    forced = {.op = candidate->op,
              .plan = {.algorithm = candidate, .radix = static_cast<uint32_t>(radix), .segment = segment}};
    return "";
  }
  if (names.empty()) return "there is no operation '" + operation + "'";
  return operation + " has no algorithm '" + fields[0] + "'; it has " + names;
}

// Whether there are calls of the operation on this team that the plan can serve.
bool serves_some_call(const Plan& plan, Shape shape) {
  shape.commutative = true;
  for (uint32_t size_class = 0; size_class < PlanCache::classes; ++size_class) {
    shape.size = PlanCache::largest(size_class);
    if (plan.algorithm->fits(shape, plan)) return true;
  }
  return false;
}

// A plan of WEFT_COLL that serves no call on this team is not what was meant.
void tell_if_useless(ForcedPlan& forced, Shape shape) {
  if (forced.told || shape.members == 1 || serves_some_call(forced.plan, shape)) return;
  forced.told = true;
  const std::string team = std::to_string(shape.members) + " on " + std::to_string(shape.spread.hosts) +
                           (shape.spread.hosts == 1 ? " host" : " hosts");
  shape.direct = true;
  const bool needs_mapped = serves_some_call(forced.plan, shape);
  base::log_warning("setting WEFT_COLL has '%s=%s', which cannot serve a team of %s%s; another algorithm does",
                    name_of(forced.op), describe(forced.plan).c_str(), team.c_str(),
                    needs_mapped ? ": it needs all members' memory mapped, as on one host without WEFT_MAP_PEERS=0, "
                                   "WEFT_STATS and WEFT_TRACE"
                                 : "");
}

}  // namespace

uint64_t Choice::differing(core::Rank& rank) {
  return (rank.capabilities().crowded ? crowded_somewhere : 0) | (mapped_inside(rank) ? 0 : unmapped_somewhere);
}

void Choice::adjust(core::Rank& rank, uint64_t differing_anywhere) {
  crowded_ = (differing_anywhere & crowded_somewhere) != 0;
  const bool mapped = (differing_anywhere & unmapped_somewhere) == 0;
  direct_inside_ = mapped && !rank.conduit().watches_everything();
  const uint32_t hosts = rank.hosts().count();
  uint32_t most = 1;
  for (conduit::RankId peer = 0; peer < rank.size(); ++peer) most = std::max(most, rank.hosts().host_size(peer));
  const double share = crowded_ ? std::max(2.0, static_cast<double>(most) / 2) : 1;
  inside_ = mapped ? mapped_memory(share) : unmapped(rank, share);
  between_ = network(crowded_);
  machine_ = rank.transport() + (hosts == 1 ? "" : " " + std::to_string(hosts) + "-hosts") +
             (mapped ? " mapped" : " not-mapped") + (crowded_ ? " crowded" : " not-crowded");
  table_->load(rank.settings().tune_file, machine_, rank.id() == 0);
}

Choice::Choice(core::Rank& rank) : tells_(rank.id() == 0), table_(std::make_unique<Table>()) {
  if (rank.hosts().count() == 1) adjust(rank, differing(rank));
  (void)read_setting(rank.settings(), forced_);  // check() has looked at it
}

Status Choice::check(const base::Settings& settings) {
  std::vector<ForcedPlan> forced;
  return read_setting(settings, forced);
}

Status Choice::read_setting(const base::Settings& settings, std::vector<ForcedPlan>& plans) {
  std::string text = settings.coll;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string entry = text.substr(0, comma);
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
    ForcedPlan forced;
    if (const std::string wrong = parse_entry(entry, forced); !wrong.empty()) {
      base::log_error("setting WEFT_COLL has '%s': %s", entry.c_str(), wrong.c_str());
      return WEFT_ERR_INVALID;
    }
    plans.push_back(forced);
  }
  return {};
}

std::string describe(const char* algorithm, uint32_t radix, uint64_t segment) {
  std::string text = algorithm;
  if (radix != 0 || segment != 0) text += ":" + std::to_string(radix);
  if (segment != 0) text += ":" + std::to_string(segment);
  return text;
}

std::string describe(const Plan& plan) { return describe(plan.algorithm->name, plan.radix, plan.segment); }

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

bool Choice::forced(const Shape& shape) const {
  return std::ranges::any_of(forced_, [&](const auto& entry) {
    return entry.op == shape.op && entry.plan.algorithm->fits(shape, entry.plan);
  });
}

Plan Choice::choose(const Shape& shape) {
  for (ForcedPlan& forced : forced_) {
    if (forced.op != shape.op) continue;
    if (forced.plan.algorithm->fits(shape, forced.plan)) return forced.plan;
    if (tells_) tell_if_useless(forced, shape);
  }
  const Plan measured = table_->best(shape);
  return measured.algorithm != nullptr ? measured : cheapest(model(shape), shape, shape.members);
}

}  // namespace weft::coll
