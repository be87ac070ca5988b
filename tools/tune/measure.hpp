// What weft-tune measures: the candidates for a collective of one size on one team, in turns.
#pragma once

#include <weft/tune.h>

#include <map>
#include <string>
#include <vector>

namespace tune {

struct Options {
  std::vector<std::string> ops = {"broadcast", "scatter",    "gather",         "gather_all", "exchange",
                                  "reduce",    "reduce_all", "reduce_scatter", "prefix"};
  std::vector<size_t> sizes;
  std::vector<uint32_t> teams;
  std::string output;
  double milliseconds = 0;  // per candidate; 0: 10, between hosts 100
  double prune = 6;  // candidates that the model expects to be this many times slower than the best are not tried
};

using Run = void (*)(weft_team_t, void* to, const void* from, size_t size);
/// By name, all collectives.
const std::map<std::string, Run>& runs();

/// The sizes to measure an operation with: a barrier has none but 0.
std::vector<size_t> sizes_of(const Options& options, const std::string& op);

/// "pipeline:2:65536"
std::string name_of(const weft_candidate_t& candidate);

/// All candidates, the best predicted first.
std::vector<weft_candidate_t> candidates_of(weft_team_t team, const std::string& op, size_t size);

/// Buffers in the segment for all sizes; what is measured is measured by all members together.
class Bench {
 public:
  Bench(const Options& options, weft_team_t team);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Candidates without those that the model expects to be too slow.
  std::vector<weft_candidate_t> worth_trying(const std::string& op, size_t size) const;
  /// Sets each candidate's measured_ns: a call's time as the slowest member sees it, the lower quartile of `rounds`
  /// blocks that begin and end with a barrier; the candidates take turns. In a job between hosts the blocks are few and
  /// long, since an idle link saves up bursts, in which a short one would pass. The choice is as before afterwards.
  void measure(const std::string& op, size_t size, std::vector<weft_candidate_t>& candidates, int rounds) const;

 private:
  double block(Run run, size_t size, uint64_t calls) const;

  const Options& options_;
  weft_team_t team_;
  size_t from_ = 0, to_ = 0;
};

}  // namespace tune
