#include "measure.hpp"

#include <weft/coll.h>
#include <weft/job.h>
#include <weft/rma.h>
#include <weft/segment.h>

#include <algorithm>
#include <cstring>

namespace tune {
namespace {

weft_reduction_t sum() { return weft_reduction_of(WEFT_F64, WEFT_REDUCE_ADD); }

double slowest(weft_team_t team, double value) {
  double most = 0;
  weft_reduce_all(team, &most, &value, 1, weft_reduction_of(WEFT_F64, WEFT_REDUCE_MAX), 0);
  return most;
}

// What disturbs a block makes it longer, so that a quarter from the shortest is steadier than the middle.
double lower_quartile(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 4];
}

}  // namespace

const std::map<std::string, Run>& runs() {
  static const std::map<std::string, Run> table = {
      {"barrier",
       [](weft_team_t t, void*, const void*, size_t) {
         weft_handle_t done;
         weft_team_barrier_nb(t, &done);
         weft_handle_wait(done);
       }},
      {"broadcast", [](weft_team_t t, void* to, const void* from, size_t n) { weft_broadcast(t, to, from, n, 0, 0); }},
      {"scatter", [](weft_team_t t, void* to, const void* from, size_t n) { weft_scatter(t, to, from, n, 0, 0); }},
      {"gather", [](weft_team_t t, void* to, const void* from, size_t n) { weft_gather(t, to, from, n, 0, 0); }},
      {"gather_all", [](weft_team_t t, void* to, const void* from, size_t n) { weft_gather_all(t, to, from, n, 0); }},
      {"exchange", [](weft_team_t t, void* to, const void* from, size_t n) { weft_exchange(t, to, from, n, 0); }},
      {"permute", [](weft_team_t t, void* to, const void* from,
                     size_t n) { weft_permute(t, to, from, n, (weft_team_rank(t) + 1) % weft_team_size(t), 0); }},
      {"reduce",
       [](weft_team_t t, void* to, const void* from, size_t n) { weft_reduce(t, to, from, n / 8, sum(), 0, 0); }},
      {"reduce_all",
       [](weft_team_t t, void* to, const void* from, size_t n) { weft_reduce_all(t, to, from, n / 8, sum(), 0); }},
      {"reduce_scatter",
       [](weft_team_t t, void* to, const void* from, size_t n) { weft_reduce_scatter(t, to, from, n / 8, sum(), 0); }},
      {"prefix",
       [](weft_team_t t, void* to, const void* from, size_t n) { weft_prefix(t, to, from, n / 8, sum(), 0); }},
  };
  return table;
}

std::vector<size_t> sizes_of(const Options& options, const std::string& op) {
  return op == "barrier" ? std::vector<size_t>{0} : options.sizes;
}

std::string name_of(const weft_candidate_t& c) {
  char name[64];
  weft_candidate_name(&c, name, sizeof name);
  return name;
}

std::vector<weft_candidate_t> candidates_of(weft_team_t team, const std::string& op, size_t size) {
  size_t count = 0;
  if (weft_tune_candidates(team, op.c_str(), size, nullptr, 0, &count) != WEFT_OK) return {};
  std::vector<weft_candidate_t> list(count);
  weft_tune_candidates(team, op.c_str(), size, list.data(), list.size(), &count);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.predicted_ns < b.predicted_ns; });
  return list;
}

Bench::Bench(const Options& options, weft_team_t team) : options_(options), team_(team) {
  const size_t largest = *std::max_element(options.sizes.begin(), options.sizes.end()) * weft_team_size(team);
  if (weft_alloc(largest, 4096, &from_) != WEFT_OK || weft_alloc(largest, 4096, &to_) != WEFT_OK)
    weft_abort("weft-tune: no memory for buffers; raise WEFT_SEGMENT_SIZE or leave out the largest --sizes");
  std::memset(weft_pointer(weft_rank(), from_), 0, largest);
  std::memset(weft_pointer(weft_rank(), to_), 0, largest);
}

Bench::~Bench() {
  weft_free(from_);
  weft_free(to_);
}

std::vector<weft_candidate_t> Bench::worth_trying(const std::string& op, size_t size) const {
  std::vector<weft_candidate_t> list = candidates_of(team_, op, size);
  const double most = options_.prune * (list.empty() ? 0 : list[0].predicted_ns);
  // The present choice stays, whatever the model thinks of it.
  list.erase(
      std::remove_if(list.begin(), list.end(), [&](const auto& c) { return c.predicted_ns > most && c.chosen == 0; }),
      list.end());
  return list;
}

double Bench::block(Run run, size_t size, uint64_t calls) const {
  void* const to = weft_pointer(weft_rank(), to_);
  const void* const from = weft_pointer(weft_rank(), from_);
  weft_team_barrier(team_);
  const uint64_t start = weft_time_ns();
  for (uint64_t i = 0; i < calls; ++i) run(team_, to, from, size);
  weft_team_barrier(team_);
  return slowest(team_, static_cast<double>(weft_time_ns() - start)) / static_cast<double>(calls);
}

void Bench::measure(const std::string& op, size_t size, std::vector<weft_candidate_t>& candidates, int rounds) const {
  const Run run = runs().at(op);
  const bool between_hosts = weft_host_size() < weft_size();
  constexpr int most_between_hosts = 5;
  if (between_hosts) rounds = std::min(rounds, most_between_hosts);
  const double milliseconds = options_.milliseconds > 0 ? options_.milliseconds : between_hosts ? 100 : 10;
  std::vector<std::vector<double>> times(candidates.size());
  std::vector<uint64_t> calls(candidates.size());
  const auto set = [&](const weft_candidate_t& c) { return weft_tune_set(team_, op.c_str(), size, &c) == WEFT_OK; };
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!set(candidates[i])) continue;
    block(run, size, 1);
    calls[i] = static_cast<uint64_t>(std::clamp(milliseconds * 1e6 / rounds / block(run, size, 4), 1.0, 1e5));
  }
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < candidates.size(); ++i)
      if (set(candidates[i])) times[i].push_back(block(run, size, calls[i]));
  for (size_t i = 0; i < candidates.size(); ++i)
    candidates[i].measured_ns = times[i].empty() ? 0 : lower_quartile(times[i]);
  weft_tune_set(team_, op.c_str(), size, nullptr);
}

}  // namespace tune
