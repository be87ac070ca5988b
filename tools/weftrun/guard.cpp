#include "guard.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "leftovers.hpp"
#include "process.hpp"
#include "signals.hpp"
#include "speech.hpp"

namespace weftrun {
namespace {

pid_t guard = 0;  // of this process, which runs a job; 0: this one runs none

/// Waits for the job's process, adopting and burying orphans, and passes on signals that came to the guard alone.
int wait_for_job(pid_t job, const sigset_t& signals) {
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&signals, &info);
    // A terminal's signal goes to the whole process group, so the job has it already; only that the terminal is closed
    // is told the session's leader alone.
    if (signal == SIGHUP || (signal > 0 && signal != SIGCHLD && info.si_code <= 0)) ::kill(job, signal);
    if (signal != SIGCHLD) continue;
    int status;
    for (pid_t ended; (ended = reap(status)) > 0;)
      if (ended == job) return status;
  }
}

}  // namespace

pid_t dead_guard() { return guard != 0 && ::getppid() != guard ? guard : 0; }

int run_guarded(const std::function<int()>& job, bool quiet) {
  std::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the exit codes of children with it
  const sigset_t passed = not_ignored({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD});
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &passed, &before);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t self = ::getpid();
  const timespec begin = file_time();
  const pid_t pid = ::fork();
  if (pid < 0) {
    tell("cannot start a process: %s", std::strerror(errno));
    return 1;
  }
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != self) ::_exit(1);
    guard = self;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::_exit(job());
  }
  const int status = wait_for_job(pid, passed);
  const bool all_ended = kill_descendants();
  remove_shared_memory_left(begin);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (quiet) return 128 + signal;
  tell("its own process (pid %d) was killed by signal %d (%s); the job was ended%s", pid, signal, strsignal(signal),
       all_ended ? "" : ", but not all of its processes");
  return 128 + signal;
}

}  // namespace weftrun
