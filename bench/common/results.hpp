// What a benchmark found: printed as a table and written as JSON (docs/FORMATS.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// The kinds of limit that stand beside a value: what the machine does without any library.
struct Limit {
  const char* kind;  // for the table: "memcpy", "line round trip", ...
  double value;      // in the unit of the result
};

struct Result {
  std::string name;
  size_t size_bytes;
  double value;
  std::string unit;            // "ns", "GB/s" (10^9 bytes per second), "M/s" (10^6 per second) or "KiB"
  std::optional<Limit> limit;  // absent if the peer's memory is not mapped
};

class Report {
 public:
  /// `simulated`: as weft_simulated(); null for a job that runs for real.
  Report(std::string benchmark, unsigned ranks, std::string conduit, const char* simulated = nullptr)
      : benchmark_(std::move(benchmark)),
        ranks_(ranks),
        conduit_(std::move(conduit)),
        simulated_(simulated != nullptr ? simulated : "") {}

  /// Prints one line of the table at once, below the head if it is the first of its section.
  void section(const std::string& title);
  void add(Result result);

  /// False, after a line that says why, if the file cannot be written.
  bool write_json(const std::string& path) const;
  std::string json() const;

 private:
  std::string benchmark_;
  unsigned ranks_;
  std::string conduit_;
  std::string simulated_;  // JSON
  std::vector<Result> results_;
};

}  // namespace bench
