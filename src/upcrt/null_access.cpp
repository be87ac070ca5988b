#include "upcrt/null_access.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <mutex>

#include "upcrt/runtime.hpp"
#include "weft/segment.h"

namespace weft::upcrt {
namespace {

struct sigaction before {};

// The thread whose segment starts less than UPCR_STATIC_BASE before the address; -1: none.
long null_of(const char* address) {
  for (weft_rank_t thread = 0; thread < weft_size(); ++thread) {
    const char* segment = static_cast<const char*>(weft_pointer(thread, 0));
    if (segment != nullptr && address >= segment && address < segment + UPCR_STATIC_BASE) return thread;
  }
  return -1;
}

void on_fault(int signal, siginfo_t* information, void*) {
  const auto* address = static_cast<const char*>(information->si_addr);
  const bool in_job = weft_detail_current != nullptr && weft_size() != 0;
  const long thread = in_job ? null_of(address) : -1;
  if (thread >= 0) {
    char line[300];
    const int length = std::snprintf(
        line, sizeof line,
        "weft: thread %u: error: an access through a null pointer-to-shared, or before the first shared object, to the "
        "memory of thread %ld; WEFT_CHECK=1 names the place in the source\n",
        weft_rank(), thread);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
  }
  // The instruction runs again, and faults for whoever is next.
  (void)sigaction(signal, &before, nullptr);
}

}  // namespace

void watch_null_accesses() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    (void)sigaction(SIGSEGV, &action, &before);
  });
}

}  // namespace weft::upcrt
