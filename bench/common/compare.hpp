// Measures loops and their limits in turn and reports each loop beside its limit.
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"
#include "common/timing.hpp"

namespace bench {

enum class Unit { ns, gigabytes_per_second, millions_per_second };

/// A loop of the machine alone. No loop: the peer is not mapped, so there is no limit to show.
struct Bare {
  const char* kind;
  Loop loop;
  double amount = 1;  // as in Subject
};

/// A loop to judge.
struct Subject {
  std::string name;
  size_t size_bytes;
  Loop loop;
  size_t limit = 0;   // its place in the list of limits
  double amount = 1;  // of one iteration. ns: operations; GB/s: bytes; M/s: messages
};

/// Everything a benchmark needs. `report` is null except on rank 0.
struct Bench {
  Job& job;
  Report* report;
  Effort effort;
  size_t max_size;

  /// Collective: all ranks pass the same lists.
  void compare(Unit unit, const std::vector<Bare>& limits, const std::vector<Subject>& subjects) const;
  void section(const std::string& title) const {
    if (report) report->section(title);
  }
};

/// 1, 2, 4, ... or first, first * step, ... up to the largest that is at most `last`.
std::vector<size_t> sizes(size_t first, size_t last, size_t step);

}  // namespace bench
