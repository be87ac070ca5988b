// The command line of weft-bench and its MPI peers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/timing.hpp"

namespace bench {

struct Options {
  std::vector<std::string> benchmarks;  // "latency", ...; all of them for "all"
  std::string title;                    // as given
  std::string json;                     // empty: none
  Effort effort;
  size_t max_size = size_t{4} << 20;  // largest message, in bytes
};

/// The options, or the exit code and what to print before the end: a help text (0) or one line about a mistake.
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
  std::string message;
};

/// `program` begins the line about a mistake; `about` and `footer` frame the help text.
Parsed parse_options(int argc, char** argv, const std::vector<std::string>& benchmarks, const std::string& program,
                     const std::string& about, const std::string& footer);

}  // namespace bench
