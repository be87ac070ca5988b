#include "compare.hpp"

#include <weft/job.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tune {
namespace {

constexpr int rounds = 15, final_rounds = 21;

class Ratios {
 public:
  void add(double ratio, double allowed, const std::string& what) {
    logs_ += std::log(ratio);
    ++count_;
    within_ += ratio <= allowed;
    if (ratio <= worst_) return;
    worst_ = ratio;
    where_ = what;
  }
  void print(const char* name, double allowed) const {
    if (count_ == 0) return;
    std::printf("%s: geometric mean %.3f, worst %.2f (%s), within %.0f %% of the best in %d of %d\n", name,
                std::exp(logs_ / count_), worst_, where_.c_str(), 100 * (allowed - 1), within_, count_);
  }

 private:
  double logs_ = 0, worst_ = 0;
  int count_ = 0, within_ = 0;
  std::string where_;
};

bool same(const weft_candidate_t& a, const weft_candidate_t& b) { return name_of(a) == name_of(b); }

// The candidate in the list that is `wanted`; it is added if it is not there.
size_t index_in(std::vector<weft_candidate_t>& list, const weft_candidate_t& wanted) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& c) { return same(c, wanted); });
  if (found != list.end()) return static_cast<size_t>(found - list.begin());
  list.push_back(wanted);
  return list.size() - 1;
}

}  // namespace

void compare(const Options& options, weft_team_t team) {
  constexpr double tuned_allowed = 1.05, model_allowed = 1.30;
  const Bench bench(options, team);
  const bool prints = weft_team_rank(team) == 0;
  Ratios chosen_ratios, model_ratios;
  if (prints)
    std::printf("%u ranks, %s\n%-14s %9s  %-24s %12s  %-24s %7s  %-24s %7s\n", weft_team_size(team),
                weft_tune_machine(), "operation", "bytes", "fastest", "ns", "chosen", "ratio", "by the model", "ratio");
  for (const std::string& op : options.ops) {
    for (const size_t size : sizes_of(options, op)) {
      std::vector<weft_candidate_t> all = bench.worth_trying(op, size);
      if (all.empty()) continue;
      bench.measure(op, size, all, rounds);
      const auto less = [](const auto& a, const auto& b) { return a.measured_ns < b.measured_ns; };
      std::vector<weft_candidate_t> finalists = {*std::min_element(all.begin(), all.end(), less)};
      const auto choice = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.chosen != 0; });
      const size_t chosen = index_in(finalists, choice == all.end() ? all[0] : *choice);
      const size_t predicted = index_in(finalists, all[0]);
      bench.measure(op, size, finalists, final_rounds);
      if (!prints) continue;
      const weft_candidate_t& best = *std::min_element(finalists.begin(), finalists.end(), less);
      const double chosen_ratio = finalists[chosen].measured_ns / best.measured_ns;
      const double model_ratio = finalists[predicted].measured_ns / best.measured_ns;
      const std::string what = op + " of " + std::to_string(size) + " bytes";
      chosen_ratios.add(chosen_ratio, tuned_allowed, what);
      model_ratios.add(model_ratio, model_allowed, what);
      std::printf("%-14s %9zu  %-24s %12.0f  %-24s %7.2f  %-24s %7.2f\n", op.c_str(), size, name_of(best).c_str(),
                  best.measured_ns, name_of(finalists[chosen]).c_str(), chosen_ratio,
                  name_of(finalists[predicted]).c_str(), model_ratio);
      std::fflush(stdout);
    }
  }
  if (!prints) return;
  chosen_ratios.print("chosen", tuned_allowed);
  model_ratios.print("by the model", model_allowed);
}

}  // namespace tune
