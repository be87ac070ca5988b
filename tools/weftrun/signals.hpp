// The signals that weftrun itself reacts to.
#pragma once

#include <csignal>
#include <initializer_list>

namespace weftrun {

/// Of these signals, those that whoever started weftrun does not want ignored (nohup, a shell's background jobs). A
/// blocked signal is queued even if it is ignored, so that must be asked before.
inline sigset_t not_ignored(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::sigaddset(&set, signal);
  }
  return set;
}

}  // namespace weftrun
