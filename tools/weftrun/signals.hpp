// The signals that weftrun itself reacts to.
#pragma once

#include <csignal>
#include <initializer_list>

namespace weftrun {

/// Of these signals, those that whoever started weftrun does not want ignored (nohup, a shell's background jobs). A
/// blocked signal is queued even if it is ignored, so that must be asked before.
sigset_t not_ignored(std::initializer_list<int> signals);

/// Blocks the signals that a loop handles: those that end a job, those that are passed on, SIGTSTP and SIGCHLD; ignores
/// SIGPIPE. A descriptor that is readable when one has come.
int watch_signals();

/// The next signal that has come; 0 for none.
int next_signal(int descriptor);

/// Stops this process as SIGTSTP would have, and returns when it is continued.
void stop_until_continued();

}  // namespace weftrun
