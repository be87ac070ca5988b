// Times several loops against each other, in turn.
//
// Problem. A ratio of two times measured one after the other is as wrong as the machine is unsteady: clocks change,
// neighbours come and go. And a loop whose count is fixed is too short for one size and too long for the next.
//
// Choice. Each loop's count is found first, so that one block of it lasts about Effort::block_ns. Then the blocks
// alternate, A B B A A B ..., and each loop is given the median of its blocks, or another quantile: on a machine that
// others use, too, most blocks are disturbed, and a low quantile of many short ones shows the loop itself. Rank 0's
// clock decides; all ranks run the same counts, so a loop may need the other ranks (a ping-pong) or not (a put, while
// the others wait).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/job.hpp"

namespace bench {

/// How long to measure.
struct Effort {
  int repetitions = 21;     // blocks of each loop
  double block_ns = 800e3;  // about how long one block lasts
  double quantile = 0.5;    // of the blocks' times: the one that counts
};

/// Runs its operation that many times on the calling rank.
using Loop = std::function<void(uint64_t iterations)>;

/// The median (effort.quantile) time of one iteration of each loop, in ns, as rank 0 saw it (other ranks: their own).
/// Collective.
std::vector<double> time_in_turn(Job& job, const Effort& effort, const std::vector<Loop>& loops);

/// `fraction` from 0 (the smallest) to 1; between two values in proportion. 0.5 is the median.
double quantile(std::vector<double> values, double fraction);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace bench
