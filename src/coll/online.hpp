// WEFT_TUNE=online: the choice of algorithms is refined while the program runs.
//
// For every operation and size class on a team there is a Trial. It measures what was chosen, then the other candidates
// that the model expects to be good, each in a block of calls; blocking calls count, the slowest member's median
// decides. A candidate that is clearly faster becomes the choice. Between blocks the trial rests: it asks for the next
// one after ever more calls, and gets it while what refining has cost, on any member, stays within the budget: a part
// of the time since the start of the job.
//
// Members must choose alike, call by call. So everything is counted in calls, and what depends on time is decided from
// a few numbers that a small reduce-all in front of a call made the same everywhere: the block's median, what was spent
// and what agreeing costs, the time that has gone by. WEFT_COLL and weft_tune_set() are left alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coll/choice.hpp"

namespace weft::coll {

/// What refining has cost on this rank, and may cost.
class TuningBudget {
 public:
  explicit TuningBudget(double part);
  void spend(double ns) { spent_ns_ += ns; }
  double spent_ns() const { return spent_ns_; }
  double elapsed_ns() const;
  bool allows(double spent_ns, double elapsed_ns) const { return spent_ns <= part_ * elapsed_ns; }

 private:
  double part_;
  uint64_t start_ns_;
  double spent_ns_ = 0;
};

class Trial {
 public:
  static constexpr uint32_t block = 8;        // calls
  static constexpr uint32_t first_rest = 16;  // calls
  static constexpr uint32_t longest_rest = 1u << 20;
  static constexpr double clearly = 0.95;   // of the best time
  static constexpr double no_time = 1e300;  // a block without blocking calls

  struct Candidate {
    Plan plan;
    double predicted_ns;
  };
  /// The first candidate is the choice without trials. `about`: what the log says is tuned; empty where another member
  /// tells.
  Trial(std::string about, std::vector<Candidate> candidates, TuningBudget& budget);

  /// Before a call: true if the members have to agree first, on numbers() into agreed().
  bool must_agree() const { return left_ == 0 && !over_; }
  const double* prepare_numbers();
  double* agreed() { return agreed_; }
  static constexpr size_t numbers = 4;
  /// They have; `ns` is what that took here.
  void decide(double ns);

  /// The next call's plan; measured: tell record() how long it took, if its caller waited for it.
  const Plan& next(bool& measured);
  void record(double ns) { times_.push_back(ns); }

  const Plan& choice() const { return candidates_[best_].plan; }
  bool over() const { return over_; }

 private:
  void judge(double ns);

  std::string about_;
  std::vector<Candidate> candidates_;
  TuningBudget& budget_;
  size_t best_ = 0, next_ = 0;
  double best_ns_ = 0;
  bool measuring_ = false, over_ = false;
  uint32_t left_ = first_rest, rest_ = first_rest;
  double agreeing_ns_ = 0;  // the last time
  std::vector<double> times_;
  double mine_[numbers] = {}, agreed_[numbers] = {};
};

}  // namespace weft::coll
