#include "upcrt/of_thread.hpp"

#include "weft/sim.h"

namespace weft::upcrt {
namespace {

constinit thread_local MadeOfThread* all_made = nullptr;

struct EndOfThread {
  ~EndOfThread() { end_of_thread(); }
  void watch() {}
};
thread_local EndOfThread end_of_system_thread;

}  // namespace

void destroy_with_thread(MadeOfThread& made) {
  if (weft_simulated() == nullptr) end_of_system_thread.watch();
  made.next = all_made;
  all_made = &made;
}

void end_of_thread() {
  while (all_made != nullptr) {
    MadeOfThread& made = *all_made;
    all_made = made.next;
    made.destroy(made);
  }
}

}  // namespace weft::upcrt
