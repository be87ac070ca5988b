#include "coll/collective_thread.hpp"

#include <algorithm>

#include "os/clock.hpp"
#include "os/processor.hpp"

namespace weft::coll {

CollectiveThread::~CollectiveThread() {
  wanted_.store(end, std::memory_order_release);
  wanted_.notify_one();
  thread_.join();
}

void CollectiveThread::wake() {
  if (wanted_.exchange(work, std::memory_order_acq_rel) == nothing) wanted_.notify_one();
}

// It sleeps between two looks, longer the longer nothing has happened: a look takes the processor from the rank. It is
// late by a quarter of the wait at most.
void CollectiveThread::run() {
  constexpr uint64_t shortest_ns = 50'000, longest_ns = 10'000'000;
  os::take_short_turns();
  for (;;) {
    wanted_.wait(nothing, std::memory_order_acquire);
    uint64_t happened_ns = 0;
    for (bool more = true; more;) {
      uint32_t seen = work;
      const bool woken = wanted_.compare_exchange_strong(seen, nothing, std::memory_order_acq_rel);
      if (seen == end) return;
      const Look look = look_();
      more = look.more;
      const uint64_t now = os::now_ns();
      if (woken || look.happened) happened_ns = now;
      const uint64_t pause_ns = std::clamp((now - happened_ns) / 4, shortest_ns, longest_ns);
      if (more) os::sleep_ns(pause_ns);
    }
  }
}

}  // namespace weft::coll
