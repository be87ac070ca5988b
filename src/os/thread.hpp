// Starting threads. A rank that cannot have one that it needs cannot go on.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace weft::os {

/// Logs why there is no thread for `what`, with the limits that may be the reason, and ends the process, and so the
/// job.
[[noreturn]] void end_without_thread(const char* what, const std::string& why);

/// A thread that does `work`, or the end of the process. `what` says what it is for.
template <class Work>
std::thread start_thread(const char* what, Work&& work) {
  try {
    return std::thread(std::forward<Work>(work));
  } catch (const std::system_error& error) {
    end_without_thread(what, error.code().message());
  }
}

}  // namespace weft::os
