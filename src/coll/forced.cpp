#include "coll/forced.hpp"

#include <algorithm>
#include <string_view>

#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/parse.hpp"
#include "coll/algorithm.hpp"
#include "coll/choice.hpp"
#include "conduit/native_collectives.hpp"

namespace weft::coll {

// ---- Reading ----

namespace {

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
  std::string wrong = parse_number(fields[0], "radix", algorithm.name, radix, UINT32_MAX, radix);
  if (wrong.empty() && !fields[1].empty() && algorithm.segments.empty())
    wrong = std::string(algorithm.name) + " has no segment";
  if (wrong.empty()) wrong = parse_number(fields[1], "segment", algorithm.name, 1, UINT64_MAX, segment);
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
std::string parse_entry(const std::string& entry, Op& op, Plan& plan) {
  const size_t equals = entry.find('=');
  if (equals == std::string::npos) return "expected operation=algorithm[:radix[:segment]]";
  const std::string operation = entry.substr(0, equals);
  const std::string text = entry.substr(equals + 1);
  const std::string wanted = text.substr(0, text.find(':'));
  std::string names;
  for (const Algorithm* candidate : algorithms()) {
    if (operation != name_of(candidate->op)) continue;
    names += (names.empty() ? "" : ", ") + std::string(candidate->name);
    if (wanted != candidate->name) continue;
    op = candidate->op;
    const std::string wrong = parse_numbers(text.substr(wanted.size()), *candidate, plan);
    return wrong.empty() ? "" : wrong + "; write " + operation + "=" + form_of(*candidate);
  }
  if (names.empty()) return "there is no operation '" + operation + "'" + operations_like(operation);
  return operation + " has no algorithm '" + wanted + "'; it has " + names;
}

}  // namespace

Status ForcedPlans::read(std::string setting) {
  while (!setting.empty()) {
    const size_t comma = setting.find(',');
    const std::string text = setting.substr(0, comma);
    setting = comma == std::string::npos ? "" : setting.substr(comma + 1);
    Entry entry;
    if (const std::string wrong = parse_entry(text, entry.op, entry.plan); !wrong.empty()) {
      base::log_error("setting WEFT_COLL has '%s': %s", text.c_str(), wrong.c_str());
      return WEFT_ERR_INVALID;
    }
    entries_.push_back(entry);
  }
  return {};
}

void ForcedPlans::tell_of_several() const {
  if (!tells_) return;
  for (int op = 0; op < static_cast<int>(Op::count); ++op)
    if (std::ranges::count(entries_, static_cast<Op>(op), &Entry::op) > 1)
      base::log(base::LogLevel::info, "WEFT_COLL has several entries for %s: of those that fit a call the first counts",
                name_of(static_cast<Op>(op)));
}

// ---- Choosing ----

namespace {

// Whether there are calls of the operation on this team that the plan can serve.
bool serves_some_call(const Plan& plan, Shape shape) {
  shape.commutative = true;
  for (uint32_t size_class = 0; size_class < PlanCache::classes; ++size_class) {
    shape.size = PlanCache::largest(size_class);
    if (plan.algorithm->fits(shape, plan)) return true;
  }
  return false;
}

// A conduit with collectives of every kind.
constexpr class final : public conduit::NativeCollectives {
 public:
  bool offers(conduit::NativeOp, size_t, bool) const override { return true; }
  double expected_ns(conduit::NativeOp, size_t) const override { return 0; }
  conduit::Result begin(const conduit::NativeRequest&, conduit::Completion*) override { return conduit::Result::retry; }
} any_native;

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
    {"it needs a conduit that has it, as mpi and some simulated machines have, and the team of all ranks",
     [](Plan&, Shape& shape) { shape.native = &any_native; }},
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

std::string members_of(const Shape& shape) {
  return std::to_string(shape.members) + " on " + std::to_string(shape.spread.hosts) +
         (shape.spread.hosts == 1 ? " host" : " hosts");
}

}  // namespace

// A plan that serves no call on this team is not what was meant.
void ForcedPlans::tell_if_useless(Entry& entry, const Shape& shape) {
  if (entry.told || shape.members == 1 || serves_some_call(entry.plan, shape)) return;
  entry.told = true;
  base::log_warning("setting WEFT_COLL has '%s=%s', which cannot serve a team of %s%s; another algorithm does",
                    name_of(entry.op), describe(entry.plan).c_str(), members_of(shape).c_str(),
                    obstacles_to(entry.plan, shape).c_str());
}

// A plan that serves other calls on this team.
void ForcedPlans::tell_of_misfit(Entry& entry, const Shape& shape) {
  if (entry.told || entry.told_of_call || shape.members == 1) return;
  entry.told_of_call = true;
  Shape commutative = shape;
  commutative.commutative = true;
  base::log(base::LogLevel::info,
            "WEFT_COLL has '%s=%s', which does not fit calls of some %zu bytes on a team of %s%s; another algorithm "
            "serves them",
            name_of(entry.op), describe(entry.plan).c_str(), shape.size, members_of(shape).c_str(),
            entry.plan.algorithm->fits(commutative, entry.plan) ? ": it needs an operation that commutes" : "");
}

const Plan* ForcedPlans::choose(const Shape& shape) {
  for (Entry& entry : entries_) {
    if (entry.op != shape.op) continue;
    if (entry.plan.algorithm->fits(shape, entry.plan)) return &entry.plan;
    if (tells_) tell_if_useless(entry, shape);
  }
  if (!tells_) return nullptr;
  for (Entry& entry : entries_)
    if (entry.op == shape.op) tell_of_misfit(entry, shape);
  return nullptr;
}

bool ForcedPlans::any(const Shape& shape) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.op == shape.op && entry.plan.algorithm->fits(shape, entry.plan);
  });
}

}  // namespace weft::coll
