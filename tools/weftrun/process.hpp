// Starts one process of the job, and finds and signals what the job has left.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weftrun {

/// What all processes of a job have in common.
struct ProcessPlan {
  std::string path;             // found by find_program
  char** arguments = nullptr;   // argv of the program
  bool tag_output = false;      // output goes through pipes to the launcher
  bool share_terminal = false;  // who reads the launcher's input reads a terminal
  sigset_t signals{};           // the mask that the launcher itself was started with
  rlimit descriptors{};         // the same for the limit on open files
  // From SIGTERM to SIGKILL. With the time to notice a death it adds up to less than the two seconds in which a failed
  // job must end.
  std::chrono::milliseconds time_to_obey{500};
  bool serve_to_the_end = false;  // requests of processes that were told to end: a simulated job says that it reports
};

/// What the launcher keeps of a process it has started. Descriptors are close-on-exec; -1 where there is none.
struct Process {
  pid_t pid = -1;
  bool own_group = true;  // its process group is its own, named by its pid
  bool running = false;
  int pmi = -1;  // non-blocking socket
  int out = -1;  // with tag_output: non-blocking read ends of its standard output and standard error
  int err = -1;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Why a process could not be started.
/// What to do about a limit that has stopped something from being started, "; raise the limit on ..."; empty for errors
/// of other kinds.
std::string advice_on_limit(int error);

struct StartFailure {
  int exit_code;     // for the launcher
  std::string line;  // what to tell the user, without the launcher's name and newline
};

inline constexpr int no_input = -1;

/// Starts a process with these variables added to the environment, bound to `processor` unless that is negative; `name`
/// is for messages. It reads from the descriptor `input`: STDIN_FILENO is the launcher's own, no_input /dev/null.
/// Returns when the program runs, or cannot.
std::optional<StartFailure> start_process(const ProcessPlan& plan, const std::string& name, const Variables& variables,
                                          int processor, int input, Process& process);

/// All living descendants of this process; those whose parent has died are among them if it is a subreaper.
std::vector<pid_t> descendants();

/// Sends SIGKILL to all descendants, and to what they start meanwhile, and waits for their end, at most a second.
/// False if some could not be ended.
bool kill_descendants();

/// Waits without blocking for any child. Its pid; 0 if there are children but none has ended; -1 if there are none.
pid_t reap(int& status);

}  // namespace weftrun
