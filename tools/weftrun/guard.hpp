// Makes sure that nothing is left running even if the launcher itself is killed.
//
// weftrun is two processes. The one the user sees is the guard: it passes signals on, waits, and gives the other's exit
// code. The other runs the job. Both adopt orphans among their descendants (PR_SET_CHILD_SUBREAPER), daemons that a
// rank has started included.
//   - The guard is killed: the kernel sends SIGTERM to the other, which ends the job as usual.
//   - The other is killed: the kernel kills the ranks, and the guard what the ranks had started.
// A death signal alone (PR_SET_PDEATHSIG) would reach the ranks but not what they have started, as when PROG is a shell
// script.
#pragma once

#include <sys/types.h>

#include <functional>

namespace weftrun {

/// Runs `job` in a child process and returns its exit code, in the caller's process. Should that process be killed, a
/// line says so unless `quiet`: an agent's end is reported by the weftrun that it belongs to.
int run_guarded(const std::function<int()>& job, bool quiet = false);

/// In the process that runs the job: the guard's process id if that has been killed, which comes as a SIGTERM; else 0.
pid_t dead_guard();

}  // namespace weftrun
