// What happens between the start of the job and its end, the same for every program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/ft/job.hpp"
#include "apps/ft/options.hpp"
#include "apps/ft/result.hpp"

namespace ft {

struct Program {
  std::string name;
  std::string description;
  std::vector<std::string> variants;
  /// Empty, or why the job cannot run what the options ask for. The same on every rank.
  std::function<std::string(const Options&)> problem;
  std::function<Result(const Options&)> run;
  bool runs_forward_only = false;  ///< --forward-only is for it
};

/// What --help prints, if it is asked for; else empty.
std::string help_asked(const Program& program, int argc, const char* const* argv);

/// Collective. Rank 0 alone prints. Returns the exit status of the program: 0, 1 if the verification failed, 2
/// if the command line, the number of ranks or the machine does not allow the run.
int drive(const Program& program, int argc, const char* const* argv, Job& job);

}  // namespace ft
