// How a process ends before its time: backtraces, and the signals that ask it to end.
#pragma once

#include <atomic>

namespace weft::os {

/// What a line says that a backtrace follows.
inline constexpr const char* backtrace_follows =
    "backtrace (addr2line -fe FILE PLACE names lines, where PLACE is what stands in the parentheses):";
/// Prints a backtrace of the calling thread to standard error, from the frame with this return address on, or all of
/// it: a line per frame as backtrace_symbols_fd() has them, with the function's name behind it where that knows none.
/// All in one write, so that those of several ranks do not mix. Usable in a signal handler.
void print_backtrace(const void* first = nullptr);
/// The same behind a line as base::log_error() writes it, in the same write.
[[gnu::format(printf, 2, 3)]] void log_backtrace(const void* first, const char* format, ...);
/// A line alone, at once, as base::log_error() writes it. Usable in a signal handler.
[[gnu::format(printf, 1, 2)]] void log_in_handler(const char* format, ...);
/// Prints one, with the signal and the address, when this process crashes (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT),
/// then lets it die of the signal. The calling thread gets a stack for signals, so that it can tell of its own stack's
/// overflow.
void backtrace_on_crash();

/// The signal that asked this process to end, or 0. Whoever waits looks at it and calls end_by_signal().
inline std::atomic<int> end_signal{0};
/// From now on SIGTERM, SIGINT and SIGHUP, unless the program handles them itself or ignores them, set end_signal. Then
/// `interrupted`, in the signal handler, says whether the interrupted thread will end the process; if not, it ends now.
void watch_end_signals(bool (*interrupted)(int signal));
/// Ends the process by end_signal, after a moment for other threads to do the same, and for as long as LastWords exist.
[[noreturn]] void end_by_signal();

/// A thread that has one writes what is to be known of it before the process ends. A signal does not cut it short.
class LastWords {
 public:
  LastWords() {
    ++speaking_;
    own_ = true;
  }
  ~LastWords() {
    own_ = false;
    --speaking_;
  }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

  /// Whether the calling thread has one.
  static bool own() { return own_; }
  /// Whether some thread has one.
  static bool any() { return speaking_ != 0; }

 private:
  static inline std::atomic<int> speaking_{0};
  static inline thread_local bool own_ = false;
};

}  // namespace weft::os
