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
#include <cstdarg>
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

// What is written at once, but for what finds no room.
class Output {
 public:
  Output() = default;
  ~Output() { write(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[gnu::format(printf, 2, 0)]] void error_line(const char* format, std::va_list arguments) {
    used_ = base::error_line(text_, line_size, format, arguments);
  }

  // A line of at most line_size bytes.
  [[gnu::format(printf, 2, 3)]] void line(const char* format, ...) {
    if (used_ > sizeof text_ - line_size) write();
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + used_, line_size, format, arguments);
    va_end(arguments);
    used_ += std::min(static_cast<size_t>(std::max(length, 0)), line_size - 1);
  }

 private:
  static constexpr size_t line_size = 2048;

  void write() {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_, used_);
    used_ = 0;
  }

  size_t used_ = 0;
  char text_[12 << 10];
};

// As backtrace_symbols_fd() has it, and with a name behind where that has none. A frame is where its function goes on
// after a call, maybe behind its end, unless it was interrupted there.
void put_frame(Output& output, void* frame, bool interrupted) {
  Dl_info info{};
  link_map* object = nullptr;
  if (dladdr1(frame, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || info.dli_fname == nullptr ||
      object == nullptr)
    return output.line("[%p]\n", frame);
  const auto address = reinterpret_cast<uintptr_t>(frame);
  if (info.dli_sname != nullptr) {
    const auto start = reinterpret_cast<uintptr_t>(info.dli_saddr);
    return output.line("%s(%s+%#zx)[%p]\n", info.dli_fname, info.dli_sname, static_cast<size_t>(address - start),
                       frame);
  }
  const bool program = object->l_name[0] == '\0';
  const uintptr_t place = address - object->l_addr;
  char name[256];
  const bool named =
      function_at(program ? "/proc/self/exe" : object->l_name, place - (interrupted ? 0 : 1), name, sizeof name);
  output.line("%s(+%#zx)[%p]%s%s\n", info.dli_fname, static_cast<size_t>(place), frame, named ? " " : "",
              named ? name : "");
}

void put_backtrace(Output& output, const void* first) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  int from = 0;
  for (int i = 0; i < count; ++i)
    if (frames[i] == first) from = i;
  for (int i = from; i < count; ++i) put_frame(output, frames[i], frames[i] == first);
}

void crashed(int signal, siginfo_t* information, void* context) {
  base::KeepErrors::end(true);
  const void* const first = interrupted_at(context);
  // One that was sent has none.
  const bool has_address = (signal == SIGSEGV || signal == SIGBUS) && information->si_code > 0;
  if (signal == SIGSEGV && has_address && beyond_stack(information->si_addr, context))
    log_backtrace(first,
                  "SIGSEGV at address %p, at the end of the stack: too deep a recursion or too large local variables "
                  "(ulimit -s sets its size); %s",
                  information->si_addr, backtrace_follows);
  else if (has_address)
    log_backtrace(first, "SIG%s at address %p; %s", sigabbrev_np(signal), information->si_addr, backtrace_follows);
  else
    log_backtrace(first, "SIG%s; %s", sigabbrev_np(signal), backtrace_follows);
  // SA_RESETHAND has restored the default action, which now ends the process with this signal.
  raise(signal);
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
  Output output;
  put_backtrace(output, first);
}

void log_backtrace(const void* first, const char* format, ...) {
  Output output;
  std::va_list arguments;
  va_start(arguments, format);
  output.error_line(format, arguments);
  va_end(arguments);
  put_backtrace(output, first);
}

void log_in_handler(const char* format, ...) {
  Output output;
  std::va_list arguments;
  va_start(arguments, format);
  output.error_line(format, arguments);
  va_end(arguments);
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
  do nanosleep(&moment, nullptr);
  while (LastWords::any());
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
