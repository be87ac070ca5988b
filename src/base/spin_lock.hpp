// A lock for critical sections of a few nanoseconds, and guards that cost a branch when the program promised not to
// use threads (WEFT_THREAD_SINGLE and SERIALIZED).
#pragma once

#include <sched.h>

#include <atomic>

namespace weft::base {

inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class SpinLock {
 public:
  bool try_lock() {
    // acquire: what the last holder wrote is visible to this one.
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    for (int spins = 0; !try_lock(); ++spins) {
      if (spins < 100)
        cpu_relax();
      else
        sched_yield();  // the holder may have lost the processor
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

/// Holds the lock if `needed`. A thread mode that cannot change while it lives decides `needed`.
class OptionalGuard {
 public:
  OptionalGuard(SpinLock& lock, bool needed) : lock_(needed ? &lock : nullptr) {
    if (lock_) lock_->lock();
  }
  ~OptionalGuard() {
    if (lock_) lock_->unlock();
  }
  OptionalGuard(const OptionalGuard&) = delete;
  OptionalGuard& operator=(const OptionalGuard&) = delete;

 private:
  SpinLock* lock_;
};

}  // namespace weft::base
