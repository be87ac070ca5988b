// The command line: weftrun -n N [OPTIONS] PROG ARGS, or weftrun --agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hosts.hpp"

namespace weftrun {

/// More ranks than this is a slip of the finger.
inline constexpr uint32_t most_ranks = 65536;

inline constexpr int exit_usage = 2;

struct Options {
  bool agent = false;  // this is the agent of another weftrun; the rest is unused
  uint32_t ranks = 0;
  bool threads = false;  // all ranks are in one process
  std::string platform;  // not empty: ranks are simulated on it, and `threads` is set too
  std::vector<std::pair<std::string, std::string>> simulation;  // further options of it, and what each sets
  std::string replay;                    // how to run a job with simulated faults again; main sets it
  bool bind = false;                     // rank i runs on the i-th allowed processor
  bool tag_output = false;               // every line begins with "[rank] "
  std::vector<Host> hosts;               // empty: this host alone
  std::vector<std::string> environment;  // --env: NAME or NAME=VALUE
  std::string weftrun_path;              // of the other hosts' weftrun; empty: as here
  uint32_t host_timeout_s = 10;          // a host that is not heard for so long is lost
  char** program = nullptr;              // PROG and its arguments, ending with a null pointer
};

/// Reads the command line. Without a result there is nothing to run: `exit_code` is set, and what was asked for or what
/// is wrong has been printed.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

}  // namespace weftrun
