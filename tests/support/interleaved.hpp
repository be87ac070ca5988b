// The parts of a test of all interleavings: they run in turns of one thread, each on a stack of its own (ucontext), and
// pass the turn on at every access to an atomic.
#pragma once

#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>

namespace weft_test {

class Interleaved {
 public:
  /// Adds a part, whose number is how many there were before.
  void add(void (*body)()) {
    constexpr size_t stack_bytes = 64 << 10;
    Part& part = parts_.emplace_back();
    part.stack = std::make_unique<char[]>(stack_bytes);
    getcontext(&part.context);
    part.context.uc_stack.ss_sp = part.stack.get();
    part.context.uc_stack.ss_size = stack_bytes;
    part.context.uc_link = &main_;
    makecontext(&part.context, body, 0);
  }
  /// Lets a part run until it yields or ends.
  void run(size_t part) {
    current_ = &parts_[part];
    swapcontext(&main_, &current_->context);
    current_ = nullptr;
  }
  /// By a part: whoever called run() goes on. Nothing where no part runs.
  void yield() {
    if (current_ != nullptr) swapcontext(&current_->context, &main_);
  }

 private:
  struct Part {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
  };

  ucontext_t main_{};
  std::deque<Part> parts_;
  Part* current_ = nullptr;
};

/// Those of the run that is explored.
inline Interleaved* interleaved = nullptr;

/// Sequentially consistent: what one part stores, the others see from then on.
template <class T>
struct ModelAtomic {
  T value;

  T load(std::memory_order) const {
    interleaved->yield();
    return value;
  }
  void store(T wanted, std::memory_order) {
    interleaved->yield();
    value = wanted;
  }
  T fetch_add(T amount, std::memory_order) {
    interleaved->yield();
    const T before = value;
    value += amount;
    return before;
  }
  T fetch_sub(T amount, std::memory_order order) { return fetch_add(-amount, order); }
};

}  // namespace weft_test
