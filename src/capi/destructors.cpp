#include "capi/destructors.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <utility>

#include "capi/sim_ranks.hpp"
#include "sim/simulation.hpp"
#include "sim/thread_locals.hpp"

namespace weft::capi {
namespace {

using sim::Simulation;

struct Destructor {
  void (*destroy)(void*);
  void* object;
  Destructor* next;
};

// Of the rank, since it is a thread-local variable itself.
thread_local Destructor* latest = nullptr;

// Whether the C library runs those of the main thread at its end.
bool at_end_of_main_thread = false;

bool is_main_thread() { return gettid() == getpid(); }

void run_latest() {
  while (latest != nullptr) {
    const Destructor* const destructor = std::exchange(latest, latest->next);
    destructor->destroy(destructor->object);
    delete destructor;
  }
}

// exit() in one rank does so, too: then it runs that rank's, and rank 0's are still to come.
void expect_end_of_main_thread() {
  if (!is_main_thread() || at_end_of_main_thread) return;
  const auto run = [](void*) {
    at_end_of_main_thread = false;
    run_latest();
  };
  at_end_of_main_thread = thread_atexit_of_c_library(run, nullptr, &at_end_of_main_thread) == 0;
}

}  // namespace

bool keep_destructor(void (*destroy)(void*), void* object, const void* library) {
  const bool is_rank = Simulation::on_this_thread();
  if (!is_rank && !(simulates_threads() && is_main_thread())) return false;
  if (!(is_rank ? Simulation::current()->thread_locals() : sim::ThreadLocals()).are_of(library)) return false;
  latest = new Destructor{.destroy = destroy, .object = object, .next = latest};
  expect_end_of_main_thread();
  return true;
}

void run_destructors() {
  run_latest();
  expect_end_of_main_thread();
}

int thread_atexit_of_c_library(void (*destroy)(void*), void* object, void* library) {
  using Register = int (*)(void (*)(void*), void*, void*);
  static const auto its = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl"));
  return its == nullptr ? -1 : its(destroy, object, library);
}

}  // namespace weft::capi
