// The command line: weftrun -n N [OPTIONS] PROG ARGS.
#pragma once

#include <cstdint>
#include <optional>

namespace weftrun {

/// More ranks than this on one host is a slip of the finger.
inline constexpr uint32_t most_ranks = 65536;

inline constexpr int exit_usage = 2;

struct Options {
  uint32_t ranks = 0;
  bool threads = false;      // ranks are threads of one process
  bool bind = false;         // rank i runs on the i-th allowed processor
  bool tag_output = false;   // every line begins with "[rank] "
  char** program = nullptr;  // PROG and its arguments, ending with a null pointer
};

/// Reads the command line. Without a result there is nothing to run: `exit_code` is set, and what was asked for or what
/// is wrong has been printed.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

}  // namespace weftrun
