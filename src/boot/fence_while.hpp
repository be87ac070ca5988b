// A fence for those who must go on serving others while they wait for them.
#pragma once

#include <atomic>
#include <thread>

#include "boot/boot.hpp"

namespace weft::boot {

/// Boot::fence(), in a thread of its own; until it is over this one calls work() again and again, which does not use
/// `boot`.
template <class Work>
Status fence_while(Boot& boot, Work work) {
  Status status;
  std::atomic<bool> over{false};
  std::thread waiting([&] {
    status = boot.fence();
    over.store(true, std::memory_order_release);
  });
  while (!over.load(std::memory_order_acquire)) work();
  waiting.join();
  return status;
}

}  // namespace weft::boot
