#include "common/timing.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

double time_block(Job& job, const Loop& loop, uint64_t iterations) {
  job.barrier();
  loop(iterations / 8 + 1);  // finds its data in the caches, whatever ran before
  job.barrier();
  const double start = job.now_ns();
  loop(iterations);
  return job.now_ns() - start;
}

// How many iterations last about effort.block_ns; rank 0 finds it.
uint64_t calibrate(Job& job, const Effort& effort, const Loop& loop) {
  const uint64_t most = job.most_iterations();
  for (uint64_t iterations = 1;; iterations *= 4) {
    const double elapsed = time_block(job, loop, iterations);
    const bool enough = elapsed >= effort.block_ns / 8 || iterations >= most;
    const double scaled = std::ceil(static_cast<double>(iterations) * effort.block_ns / std::max(elapsed, 1.0));
    const auto found = static_cast<uint64_t>(std::clamp(scaled, 1.0, static_cast<double>(most)));
    if (const uint64_t agreed = job.agree(enough ? found : 0)) return agreed;
  }
}

}  // namespace

std::vector<double> time_in_turn(Job& job, const Effort& effort, const std::vector<Loop>& loops) {
  std::vector<uint64_t> counts;
  for (const Loop& loop : loops) counts.push_back(calibrate(job, effort, loop));
  std::vector<std::vector<double>> times(loops.size());
  for (int repetition = 0; repetition < effort.repetitions; ++repetition) {
    for (size_t n = 0; n < loops.size(); ++n) {
      const size_t i = repetition % 2 == 0 ? n : loops.size() - 1 - n;  // nobody always follows the same one
      times[i].push_back(time_block(job, loops[i], counts[i]) / static_cast<double>(counts[i]));
    }
  }
  std::vector<double> counted;
  for (std::vector<double>& of_loop : times) counted.push_back(quantile(std::move(of_loop), effort.quantile));
  return counted;
}

double quantile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

}  // namespace bench
