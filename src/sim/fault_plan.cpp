#include "sim/fault_plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/nearest.hpp"
#include "base/parse.hpp"
#include "sim/mixed.hpp"
#include "sim/network/units.hpp"

namespace weft::sim {
namespace {

constexpr Time usual_advance = 200;
constexpr double usual_reorder = 0.5;

std::optional<Time> time(std::string_view text) {
  const auto value = parse_quantity(Unit::time, text);
  constexpr double longest = 1e6 * 1e9;  // a million seconds
  if (!value || *value > longest) return std::nullopt;
  return static_cast<Time>(std::llround(*value));
}

// "h3" of "h3:4" or "h3@2ms"; `rest` is what follows the separator.
std::optional<uint32_t> host(std::string_view text, char separator, std::string_view& rest) {
  const size_t end = text.find(separator);
  if (end == text.npos || !text.starts_with('h')) return std::nullopt;
  rest = text.substr(end + 1);
  return base::parse_number<uint32_t>(text.substr(1, end - 1));
}

std::string expected(std::string_view key, std::string_view value, const char* what) {
  return std::string(key) + " is '" + std::string(value) + "', expected " + what;
}

// One entry of the list. Each reads its value, and says what is wrong with it.
std::string read_probability(std::string_view key, std::string_view value, double& probability) {
  const auto number = parse_quantity(Unit::factor, value);
  // What is certain would never end.
  const bool certain = key == "drop" || key == "retry";
  if (number && (certain ? *number < 1 : *number <= 1)) {
    probability = *number;
    return "";
  }
  return expected(key, value, certain ? "a probability from 0 to below 1" : "a probability from 0 to 1");
}

std::string read_delay(std::string_view value, FaultPlan& plan) {
  const size_t colon = value.find(':');
  const auto span = colon == value.npos ? std::nullopt : time(value.substr(colon + 1));
  if (!span || *span == 0) return expected("delay", value, "a probability and a time with its unit, as 0.1:5us");
  plan.most_delay = *span;
  return read_probability("delay", value.substr(0, colon), plan.delay);
}

std::string read_schedule(bool given, std::string_view value, FaultPlan& plan) {
  const auto span = given ? time(value) : std::optional<Time>(usual_advance);
  if (!span || *span == 0) return expected("schedule", value, "a time with its unit, as 200ns, or no value");
  plan.advance = *span;
  return "";
}

std::string read_slow(std::string_view value, FaultPlan& plan) {
  std::string_view factor;
  const auto which = host(value, ':', factor);
  const auto times = which ? parse_quantity(Unit::factor, factor) : std::nullopt;
  if (!times || *times < 1) return expected("slow", value, "a host and a factor from 1 on, as h3:4");
  plan.slow.push_back({*which, *times});
  return "";
}

std::string read_loss(std::string_view key, std::string_view value, FaultPlan& plan) {
  std::string_view moment;
  const auto which = host(value, '@', moment);
  const auto when = which ? time(moment) : std::nullopt;
  if (!when) return expected(key, value, "a host and a time since the start with its unit, as h3@2ms");
  plan.losses.push_back({*which, *when, key == "dead"});
  return "";
}

std::string read_window(std::string_view value, FaultPlan& plan) {
  const size_t dash = value.find('-');
  const auto first = dash == value.npos ? std::nullopt : base::parse_number<uint64_t>(value.substr(0, dash));
  const auto last = dash == value.npos ? std::nullopt : base::parse_number<uint64_t>(value.substr(dash + 1));
  if (!first || !last || *first > *last) return expected("only", value, "the first and the last number, as 0-99");
  plan.first = *first;
  plan.last = *last;
  return "";
}

std::string read_seed(std::string_view value, FaultPlan& plan) {
  const auto seed = base::parse_number<uint64_t>(value);
  if (!seed) return expected("seed", value, "a whole number");
  plan.seed = *seed;
  return "";
}

constexpr std::string_view keys[] = {"delay", "drop", "retry", "reorder", "schedule",
                                     "slow",  "cut",  "dead",  "only",    "seed"};

std::string unknown(std::string_view key) {
  const std::string_view meant = base::nearest(key, keys);
  if (!meant.empty()) return "there is no '" + std::string(key) + "'; did you mean " + std::string(meant) + "?";
  std::string text = "there is no '" + std::string(key) + "', only";
  for (const std::string_view known : keys) text += (known == keys[0] ? " " : ", ") + std::string(known);
  return text;
}

std::string read_entry(std::string_view entry, FaultPlan& plan) {
  const size_t equals = entry.find('=');
  const bool given = equals != entry.npos;
  const std::string_view key = entry.substr(0, equals);
  const std::string_view value = given ? entry.substr(equals + 1) : std::string_view();
  if (key == "reorder" && !given) {
    plan.reorder = usual_reorder;
    return "";
  }
  if (key == "schedule") return read_schedule(given, value, plan);
  if (!std::ranges::count(keys, key)) return unknown(key);
  if (!given) return std::string(key) + " needs a value";
  if (key == "delay") return read_delay(value, plan);
  if (key == "drop") return read_probability(key, value, plan.drop);
  if (key == "retry") return read_probability(key, value, plan.retry);
  if (key == "reorder") return read_probability(key, value, plan.reorder);
  if (key == "slow") return read_slow(value, plan);
  if (key == "only") return read_window(value, plan);
  if (key == "seed") return read_seed(value, plan);
  return read_loss(key, value, plan);
}

}  // namespace

std::string parse_faults(std::string_view text, FaultPlan& plan) {
  std::set<std::string_view> given;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view entry = text.substr(at, end - at), key = entry.substr(0, entry.find('='));
    if (std::string wrong = read_entry(entry, plan); !wrong.empty()) return wrong;
    const bool of_a_host = key == "slow" || key == "cut" || key == "dead";
    const std::string_view what = of_a_host ? entry.substr(0, entry.find_first_of(":@")) : key;  // "slow=h3"
    if (!given.insert(what).second) return std::string(what) + " is given twice";
    at = end + 1;
  }
  return "";
}

std::string check_hosts(const FaultPlan& plan, uint32_t hosts) {
  uint32_t last = 0;
  for (const FaultPlan::Slow& slow : plan.slow) last = std::max(last, slow.host);
  for (const FaultPlan::Loss& loss : plan.losses) last = std::max(last, loss.host);
  if (last < hosts) return "";
  return "there is no host h" + std::to_string(last) + ": this job has " +
         (hosts == 1 ? "one, h0" : std::to_string(hosts) + ", h0 to h" + std::to_string(hosts - 1));
}

uint64_t roll(uint64_t seed, Die die, uint64_t stream, uint64_t number) {
  return mixed(mixed(mixed(seed * golden + static_cast<uint64_t>(die) + 1) + stream * golden) + number * golden);
}

}  // namespace weft::sim
