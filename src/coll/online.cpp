#include "coll/online.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "coll/algorithm.hpp"
#include "os/clock.hpp"

namespace weft::coll {

TuningBudget::TuningBudget(double part) : part_(part), start_ns_(os::now_ns()) {}

double TuningBudget::elapsed_ns() const { return static_cast<double>(os::now_ns() - start_ns_); }

Trial::Trial(std::string about, std::vector<Candidate> candidates, TuningBudget& budget)
    : about_(std::move(about)), candidates_(std::move(candidates)), budget_(budget), over_(candidates_.size() < 2) {
  times_.reserve(block);
}

const double* Trial::prepare_numbers() {
  double median = no_time;
  if (!times_.empty()) {
    std::ranges::nth_element(times_, times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2));
    median = times_[times_.size() / 2];
  }
  // The largest of each counts: the slowest time, the highest cost, the shortest run, the longest agreement.
  mine_[0] = measuring_ ? median : 0;
  mine_[1] = budget_.spent_ns();
  mine_[2] = -budget_.elapsed_ns();
  mine_[3] = agreeing_ns_;
  return mine_;
}

void Trial::decide(double ns) {
  agreeing_ns_ = ns;
  budget_.spend(ns);
  if (measuring_) {
    judge(agreed_[0]);
    measuring_ = false;
    rest_ = first_rest;
  }
  if (next_ == candidates_.size()) over_ = true;
  if (over_) return;
  // A candidate costs what it is slower than the best, here at least as much as the model says, and agreeing once more.
  const double slower = std::max(0.0, candidates_[next_].predicted_ns / candidates_[best_].predicted_ns - 1);
  const double expected = agreed_[3] + block * slower * best_ns_;
  if (budget_.allows(agreed_[1] + expected, -agreed_[2])) {
    measuring_ = true;
    left_ = block;
    return;
  }
  left_ = rest_;
  rest_ = std::min(2 * rest_, longest_rest);
}

void Trial::judge(double ns) {
  for (const double time : times_) budget_.spend(next_ == 0 ? 0 : std::max(0.0, time - best_ns_));
  times_.clear();
  if (next_ == 0) {
    best_ns_ = ns;
    over_ = ns >= no_time;  // nobody waits for these calls: there is nothing to measure
  } else if (ns < clearly * best_ns_) {
    const Plan& better = candidates_[next_].plan;
    if (!about_.empty())
      base::log(base::LogLevel::info, "tuned online: %s by %s takes %.0f ns instead of %.0f", about_.c_str(),
                describe(better).c_str(), ns, best_ns_);
    best_ = next_;
    best_ns_ = ns;
  }
  ++next_;
}

const Plan& Trial::next(bool& measured) {
  measured = measuring_;
  if (!over_) --left_;
  return candidates_[measuring_ ? next_ : best_].plan;
}

}  // namespace weft::coll
