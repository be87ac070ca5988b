#include "os/ending.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/log.hpp"
#include "os/symbols.hpp"

namespace weft::os {
namespace {

// Where the thread was when the signal came; null if that cannot be told here.
const void* interrupted_at([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

// Whether an access faulted where the thread's stack ends. The stack itself can be accessed.
bool beyond_stack([[maybe_unused]] const void* address, [[maybe_unused]] const void* context) {
  constexpr uintptr_t near = 64 << 10;
#if defined(__x86_64__)
  const auto top = static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const auto top = static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#else
  return false;
#endif
  return reinterpret_cast<uintptr_t>(address) - top + near < 2 * near;
}

void crashed(int signal, siginfo_t* information, void* context) {
  base::KeepErrors::end(true);
  const bool has_address = signal == SIGSEGV || signal == SIGBUS;
  if (signal == SIGSEGV && beyond_stack(information->si_addr, context))
    base::log_error("SIGSEGV at address %p, at the end of the stack: too deep a recursion or too large local variables "
                    "(ulimit -s sets its size); %s",
                    information->si_addr, backtrace_follows);
  else if (has_address)
    base::log_error("SIG%s at address %p; %s", sigabbrev_np(signal), information->si_addr, backtrace_follows);
  else
    base::log_error("SIG%s; %s", sigabbrev_np(signal), backtrace_follows);
  print_backtrace(interrupted_at(context));
  // SA_RESETHAND has restored the default action, which now ends the process with this signal.
  raise(signal);
}

// As backtrace_symbols_fd() does, and with a name behind where that has none. A frame is where its function goes on
// after a call, maybe behind its end, unless it was interrupted there.
void print_frame(void* frame, bool interrupted) {
  Dl_info info{};
  link_map* object = nullptr;
  char name[256];
  const bool known = dladdr1(frame, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  const bool nameless = known && info.dli_sname == nullptr && object != nullptr;
  const bool program = nameless && object->l_name[0] == '\0';
  const uintptr_t place =
      nameless ? reinterpret_cast<uintptr_t>(frame) - object->l_addr - (interrupted ? 0 : 1) : uintptr_t{0};
  if (!nameless || !function_at(program ? "/proc/self/exe" : object->l_name, place, name, sizeof name))
    return backtrace_symbols_fd(&frame, 1, STDERR_FILENO);
  char line[1024];
  const int length = std::snprintf(line, sizeof line, "%s(+%#zx)[%p] %s\n", info.dli_fname,
                                   static_cast<size_t>(place + (interrupted ? 0 : 1)), frame, name);
  const size_t size = std::min(static_cast<size_t>(std::max(length, 0)), sizeof line - 1);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, size);
}

// Atomic: every rank that is a thread sets it.
std::atomic<bool (*)(int)> end_interrupted{nullptr};

void asked_to_end(int signal) {
  end_signal.store(signal, std::memory_order_relaxed);
  base::KeepErrors::end(false);  // whoever sends the signal has a reason of its own
  if (!end_interrupted.load(std::memory_order_relaxed)(signal)) end_by_signal();
}

// The calling thread's signal handlers have room to run when its own stack is full. Never given back: it is needed
// until the thread's very end.
void make_signal_stack() {
  constexpr size_t size = 64 << 10;
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = size};
  (void)sigaltstack(&stack, nullptr);
}

}  // namespace

void print_backtrace(const void* first) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  int from = 0;
  for (int i = 0; i < count; ++i)
    if (frames[i] == first) from = i;
  for (int i = from; i < count; ++i) print_frame(frames[i], frames[i] == first);
}

void backtrace_on_crash() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads libgcc now: it must not happen inside the handler
  make_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = crashed;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
}

void watch_end_signals(bool (*interrupted)(int signal)) {
  end_interrupted.store(interrupted, std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = asked_to_end;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
  }
}

void end_by_signal() {
  constexpr timespec moment{0, 50'000'000};
  nanosleep(&moment, nullptr);
  const int signal = end_signal.load(std::memory_order_relaxed);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  kill(getpid(), signal);
  _exit(128 + signal);
}

}  // namespace weft::os
