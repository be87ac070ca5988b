#include "signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace weftrun {

sigset_t not_ignored(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::sigaddset(&set, signal);
  }
  return set;
}

int watch_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t watched = not_ignored({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD, SIGUSR1, SIGUSR2});
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);
  return ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

int next_signal(int descriptor) {
  signalfd_siginfo info;
  return ::read(descriptor, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo)
                                                                                     : 0;
}

void stop_until_continued() {
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  std::raise(SIGTSTP);  // returns when the shell continues us
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
}

}  // namespace weftrun
