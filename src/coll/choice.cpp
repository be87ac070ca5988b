#include "coll/choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/log.hpp"
#include "base/nearest.hpp"
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

// "pipeline[:radix[:segment]]"
std::string form_of(const Algorithm& algorithm) {
  std::string form = algorithm.name;
  if (!algorithm.radices.empty()) return form + (algorithm.segments.empty() ? "[:radix]" : "[:radix[:segment]]");
  return algorithm.segments.empty() ? form : form + "[:0:segment]";
}

// What is wrong with one of the numbers behind an algorithm's name, or "". `value` stays if the text is empty.
std::string parse_number(const std::string& text, const char* what, const std::string& algorithm, uint64_t least,
                         uint64_t most, uint64_t& value) {
  const bool has_none = least == 0;
  if (text.empty()) return "";
  if (!base::parse_size(text.c_str(), value) || (!has_none && value > most)) return "'" + text + "' is no " + what;
  if (has_none && value != 0) return algorithm + " has no " + what;
  if (value < least) return std::string("the ") + what + " of " + algorithm + " is at least " + std::to_string(least);
  return "";
}

// ":4:4096" behind an algorithm's name. Returns what is wrong, or "".
std::string parse_numbers(std::string text, const Algorithm& algorithm, Plan& plan) {
  std::string fields[2];
  for (std::string& field : fields) {
    if (text.empty()) break;
    const size_t colon = text.find(':', 1);
    field = text.substr(1, colon == std::string::npos ? colon : colon - 1);
    text = colon == std::string::npos ? "" : text.substr(colon);
  }
  uint64_t radix = algorithm.radices.empty() ? 0 : algorithm.radices[0];
  uint64_t segment = algorithm.segments.empty() ? 0 : algorithm.segments[0];
  const uint64_t least_segment = std::min<uint64_t>(segment, 1);
  std::string wrong = parse_number(fields[0], "radix", algorithm.name, radix, UINT32_MAX, radix);
  if (wrong.empty())
    wrong = parse_number(fields[1], "segment", algorithm.name, least_segment, UINT64_MAX, segment);
  if (wrong.empty() && !text.empty()) wrong = "'" + text + "' is too much";
  plan = {.algorithm = &algorithm, .radix = static_cast<uint32_t>(radix), .segment = segment};
  return wrong;
}

// Of an operation that does not exist.
std::string operations_like(const std::string& operation) {
  std::vector<std::string_view> names;
  std::string all;
  for (int op = 0; op < static_cast<int>(Op::count); ++op) {
    names.emplace_back(name_of(static_cast<Op>(op)));
    all += (all.empty() ? "" : ", ") + std::string(names.back());
  }
  const std::string meant(base::nearest(operation, names));
  return meant.empty() ? "; there are " + all : ", did you mean " + meant + "?";
}

// "reduce_all=tree:4" or "broadcast=pipeline:2:65536". Returns what is wrong, or "".
std::string parse_entry(const std::string& entry, ForcedPlan& forced) {
  const size_t equals = entry.find('=');
  if (equals == std::string::npos) return "expected operation=algorithm[:radix[:segment]]";
  const std::string operation = entry.substr(0, equals);
  const std::string plan = entry.substr(equals + 1);
  const std::string wanted = plan.substr(0, plan.find(':'));
  std::string names;
  for (const Algorithm* candidate : algorithms()) {
    if (operation != name_of(candidate->op)) continue;
    names += (names.empty() ? "" : ", ") + std::string(candidate->name);
    if (wanted != candidate->name) continue;
    forced.op = candidate->op;
    const std::string wrong = parse_numbers(plan.substr(wanted.size()), *candidate, forced.plan);
    return wrong.empty() ? "" : wrong + "; write " + operation + "=" + form_of(*candidate);
  }
  if (names.empty()) return "there is no operation '" + operation + "'" + operations_like(operation);
  return operation + " has no algorithm '" + wanted + "'; it has " + names;
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

// What keeps a plan from serving a team, and how it would be without.
struct Obstacle {
  const char* text;
  void (*remove)(Plan& plan, Shape& shape);
};

constexpr Obstacle obstacles[] = {
    {"it needs all members' memory mapped, as on one host without WEFT_MAP_PEERS=0, WEFT_STATS and WEFT_TRACE",
     [](Plan&, Shape& shape) { shape.direct = true; }},
    {"it serves only where members' memory is not mapped, as between hosts and with WEFT_MAP_PEERS=0",
     [](Plan&, Shape& shape) { shape.direct = false; }},
    {"its radix is too large for so few members",
     [](Plan& plan, Shape&) {
       if (!plan.algorithm->radices.empty()) plan.radix = plan.algorithm->radices[0];
     }},
    {"it needs as many members on each host", [](Plan&, Shape& shape) { shape.spread.least = shape.spread.most; }},
    {"it needs several hosts, and several members on one of them",
     [](Plan&, Shape& shape) { shape.spread = {.hosts = 2, .most = shape.members, .least = shape.members}; }},
    {"it needs more members", [](Plan&, Shape& shape) { shape.members = std::max(shape.members, 64u); }},
};

bool serves_without(const Obstacle& one, const Obstacle& other, Plan plan, Shape shape) {
  one.remove(plan, shape);
  other.remove(plan, shape);
  return serves_some_call(plan, shape);
}

// ": " and what keeps the plan from serving the team, as far as it is one or two of these.
std::string obstacles_to(const Plan& plan, const Shape& shape) {
  for (const Obstacle& one : obstacles)
    if (serves_without(one, one, plan, shape)) return std::string(": ") + one.text;
  for (const Obstacle& one : obstacles)
    for (const Obstacle& other : obstacles)
      if (serves_without(one, other, plan, shape)) return std::string(": ") + one.text + ", and " + other.text;
  return "";
}

// A plan of WEFT_COLL that serves no call on this team is not what was meant.
void tell_if_useless(ForcedPlan& forced, const Shape& shape) {
  if (forced.told || shape.members == 1 || serves_some_call(forced.plan, shape)) return;
  forced.told = true;
  const std::string team = std::to_string(shape.members) + " on " + std::to_string(shape.spread.hosts) +
                           (shape.spread.hosts == 1 ? " host" : " hosts");
  base::log_warning("setting WEFT_COLL has '%s=%s', which cannot serve a team of %s%s; another algorithm does",
                    name_of(forced.op), describe(forced.plan).c_str(), team.c_str(),
                    obstacles_to(forced.plan, shape).c_str());
}

void tell_of_several(const std::vector<ForcedPlan>& plans) {
  for (int op = 0; op < static_cast<int>(Op::count); ++op)
    if (std::ranges::count(plans, static_cast<Op>(op), &ForcedPlan::op) > 1)
      base::log(base::LogLevel::info, "WEFT_COLL has several entries for %s: of those that fit a call the first counts",
                name_of(static_cast<Op>(op)));
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
  if (tells_) tell_of_several(forced_);
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

Decision Choice::decide(const Shape& shape) {
  for (ForcedPlan& forced : forced_) {
    if (forced.op != shape.op) continue;
    if (forced.plan.algorithm->fits(shape, forced.plan)) return {.plan = forced.plan, .reason = Reason::forced};
    if (tells_) tell_if_useless(forced, shape);
  }
  if (const Measurement* measured = table_->best(shape); measured != nullptr)
    return {.plan = measured->plan, .reason = Reason::table, .measured_size = measured->size};
  return {.plan = cheapest(model(shape), shape, shape.members)};
}

}  // namespace weft::coll
