#include "sim/overflow.hpp"

#include <signal.h>

#include "os/dataless.hpp"
#include "os/ending.hpp"
#include "sim/simulation.hpp"

namespace weft::sim {
namespace {

const Stacks* watched = nullptr;

// The handler cannot run on a stack that is used up.
alignas(16) char own_stack[32 << 10];

void on_crash(int, siginfo_t* about, void*) {
  const uint32_t rank = Simulation::current() != nullptr ? Simulation::current()->running_rank() : 0;
  if (watched != nullptr && watched->is_below_one(about->si_addr))
    os::log_in_handler("simulated rank %u has used up its stack of %zu KiB; raise WEFT_SIM_STACK", rank,
                       watched->size() >> 10);
  else if (os::Dataless::holds(about->si_addr) && Simulation::current() != nullptr)
    os::log_in_handler("simulated rank %u has accessed memory that has no data, as large arrays under --sim-data none",
                       rank);
  // The instruction crashes again when this returns, and the kernel ends the process.
  ::signal(SIGSEGV, SIG_DFL);
}

}  // namespace

OverflowWatch::OverflowWatch(const Stacks& stacks) {
  struct sigaction before {};
  if (sigaction(SIGSEGV, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  stack_t stack{};
  stack.ss_sp = own_stack;
  stack.ss_size = sizeof own_stack;
  if (sigaltstack(&stack, nullptr) != 0) return;
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  watched = &stacks;
  (void)sigaction(SIGSEGV, &action, nullptr);
}

OverflowWatch::~OverflowWatch() {
  if (watched == nullptr) return;
  watched = nullptr;
  struct sigaction now {};
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == on_crash) ::signal(SIGSEGV, SIG_DFL);
}

}  // namespace weft::sim
