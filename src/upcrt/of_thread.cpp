#include "upcrt/of_thread.hpp"

namespace weft::upcrt {
namespace {

constinit thread_local MadeOfThread* all_made = nullptr;
constinit thread_local bool of_upc_thread = false;

void end_of_thread() {
  while (all_made != nullptr) {
    MadeOfThread& made = *all_made;
    all_made = made.next;
    made.destroy(made);
  }
}

struct EndOfThread {
  ~EndOfThread() { end_of_thread(); }
  void watch() {}
};
thread_local EndOfThread end_of_system_thread;

}  // namespace

void destroy_with_thread(MadeOfThread& made) {
  if (!of_upc_thread) end_of_system_thread.watch();
  made.next = all_made;
  all_made = &made;
}

void upc_thread_begins() { of_upc_thread = true; }

bool is_upc_thread() { return of_upc_thread; }

void upc_thread_ends() {
  end_of_thread();
  of_upc_thread = false;
}

}  // namespace weft::upcrt
