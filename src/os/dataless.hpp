// Memory without data: addresses that stand for large arrays in a job that is simulated without data. Nothing is stored
// there. What copies data that may lie there asks first, or uses copy_data().
//
// Only simulated jobs have such memory, and all their ranks share one thread; other jobs pay for one look at a flag.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

namespace weft::os {

class Dataless {
 public:
  /// Whether this process has any such memory.
  static bool any() { return any_.load(std::memory_order_relaxed); }
  /// Whether the byte at this address lies in it. For signal handlers, too.
  static bool holds(const void* address) { return any() && find(address); }

  /// The range has no data any more: its whole pages are given back to the kernel, and with `forbid` an access to them
  /// faults. False, and nothing changes, if a part of it was without data already.
  static bool add(void* address, size_t size, bool forbid);
  /// The range that begins at the address has data again, all zero in its whole pages. False if none begins there.
  static bool remove(void* address);
  /// No memory is without data any more. What was forbidden stays so: its owner unmaps it.
  static void clear();

 private:
  static bool find(const void* address);
  static inline std::atomic<bool> any_{false};
};

/// memcpy(), but nothing happens if either end has no data.
inline void* copy_data(void* to, const void* from, size_t size) {
  if (__builtin_expect(Dataless::any(), 0) && (Dataless::holds(to) || Dataless::holds(from))) return to;
  return std::memcpy(to, from, size);
}

}  // namespace weft::os
