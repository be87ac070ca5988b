// A fence for those who must go on serving others while they wait for them.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "boot/boot.hpp"
#include "os/thread.hpp"

namespace weft::boot {

/// Boot::fence(), in a thread of its own; until it is over this one calls work(over) again and again, which does not
/// use `boot` and may sleep until the descriptor `over` is readable: then the fence is over. It is -1 if the system
/// gives none.
template <class Work>
Status fence_while(Boot& boot, Work work) {
  Status status;
  std::atomic<bool> over{false};
  const int bell = ::eventfd(0, EFD_CLOEXEC);
  std::thread waiting = os::start_thread("the end of the job", [&] {
    status = boot.fence();
    over.store(true, std::memory_order_release);
    ::eventfd_write(bell, 1);
  });
  while (!over.load(std::memory_order_acquire)) work(bell);
  waiting.join();
  if (bell >= 0) ::close(bell);
  return status;
}

}  // namespace weft::boot
