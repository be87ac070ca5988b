// The command line of upcrun, and the weftrun command that it means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "binary.hpp"

namespace upcrun {

inline constexpr int exit_usage = 2;

struct Options {
  std::string threads;      // of -n; empty: not given
  std::string shared_heap;  // of --shared-heap; empty: not given
  bool bind = false;
  bool tag_output = false;
  bool simulated = false;              // --sim
  bool show = false;                   // -v and -t: print the command
  bool run = true;                     // not with -t
  bool information = false;            // -i: about the program alone
  std::vector<std::string> passed_on;  // options with their values, as weftrun takes them
  char** program = nullptr;            // PROG and its arguments, ending with a null pointer
};

/// Reads the command line. Without a result there is nothing to run: `exit_code` is set, and what was asked for or what
/// is wrong has been printed.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

/// What -i prints.
void print_information(const char* program, const ProgramFacts& facts);

/// The arguments for weftrun. Empty, after a line that says why, if the program cannot be run so.
std::vector<std::string> weftrun_arguments(const Options& options, const std::optional<ProgramFacts>& facts);

}  // namespace upcrun
