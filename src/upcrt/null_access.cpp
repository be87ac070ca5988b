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
bool pointers_checked = false;  // WEFT_CHECK=1

// The thread whose segment starts less than UPCR_STATIC_BASE before the address; -1: none.
long null_of(const char* address) {
  for (weft_rank_t thread = 0; thread < weft_size(); ++thread) {
    const char* segment = static_cast<const char*>(weft_pointer(thread, 0));
    if (segment != nullptr && address >= segment && address < segment + UPCR_STATIC_BASE) return thread;
  }
  return -1;
}

void on_fault(int signal, siginfo_t* information, void*) {
  const bool sent = information->si_code <= 0;  // by kill(), raise() and their like
  const auto* address = static_cast<const char*>(information->si_addr);
  const bool in_job = weft_detail_current != nullptr && weft_size() != 0;
  const long thread = in_job && !sent ? null_of(address) : -1;
  if (thread >= 0) {
    const char* form =
        !pointers_checked ? "weft: thread %u: error: an access through a null pointer-to-shared, or before the first "
                            "shared object, to the memory of thread %ld; WEFT_CHECK=1 names the place in the source. A "
                            "pointer variable is each thread's own: what one thread sets is null on the others\n"
                          : "weft: thread %u: error: an access to the memory of thread %ld, before the first shared "
                            "object, that was not through a pointer-to-shared: WEFT_CHECK=1 has checked those\n";
    char line[400];
    const int length = std::snprintf(line, sizeof line, form, weft_rank(), thread);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
  }
  // The instruction of a fault runs again, and faults for whoever is next.
  (void)sigaction(signal, &before, nullptr);
  if (sent) raise(signal);
}

}  // namespace

void watch_null_accesses(bool checked) {
  static std::once_flag once;
  std::call_once(once, [checked] {
    pointers_checked = checked;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    (void)sigaction(SIGSEGV, &action, &before);
  });
}

}  // namespace weft::upcrt
