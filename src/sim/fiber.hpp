// Fibers: flows of control that share one thread of the operating system and pass it on only where they say so.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "os/shared_memory.hpp"
#include "sim/thread_locals.hpp"

namespace weft::sim {

/// The stacks of all fibers in one range, so that the kernel's limit of mappings allows many. Below each lies memory
/// that nobody may touch, as long as that limit allows it. It is address space alone, and twice what a program has
/// usually: a function with large arrays uses what is far below its frame first, and would else be in the next stack
/// without a word.
class Stacks {
 public:
  static Status make(uint32_t count, size_t size, Stacks& stacks);

  std::byte* lowest(uint32_t stack) const { return memory_.address() + stack * stride_ + guard; }
  size_t size() const { return stride_ - guard; }
  /// Whether the address is below one of the stacks, where nobody may touch.
  bool is_below_one(const void* address) const;

 private:
  static constexpr size_t page = 4096;
  static constexpr size_t guard = (size_t{16} << 20) + page;  // no power of two: stacks use different entries of a TLB

  os::Mapping memory_;
  size_t stride_ = 0;
  bool guarded_ = false;
};

class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(Fiber&&) = delete;

  /// This fiber is the flow of control that calls; it has a stack already.
  void adopt(const ThreadLocals& locals);
  /// This fiber will begin with `body` on that stack when it is switched to. The body returns the fiber that goes on
  /// when it has ended.
  void prepare(const ThreadLocals& locals, std::byte* lowest, size_t size, std::function<Fiber&()> body);
  /// The calling fiber, which is this one, rests until it is switched to; `to` goes on.
  void switch_to(Fiber& to);
  /// It will be switched to soon: what its stack has on top is fetched into the caches meanwhile.
  void fetch() const {
    constexpr ptrdiff_t line = 64, below = 2, above = 10;
    for (ptrdiff_t i = -below; i < above; ++i) __builtin_prefetch(kept_ + i * line);
  }
  /// Where what this fiber knows by that address is while it rests: a thread-local variable is in its copy.
  std::byte* while_resting(void* address) const {
    const size_t place = locals_->place_of(address);
    return place == locals_->size() ? static_cast<std::byte*>(address) : kept_ + place;
  }

 private:
  static void arrive(Fiber& fiber, boost::context::fiber&& from);

  boost::context::fiber rest_;  // where this fiber goes on, while it rests
  const ThreadLocals* locals_ = nullptr;
  std::byte* kept_ = nullptr;              // its thread-local variables, while it rests
  std::unique_ptr<std::byte[]> own_kept_;  // where they are unless they are on its stack
  std::function<Fiber&()> body_;
  // For AddressSanitizer.
  void* fake_stack_ = nullptr;
  const void* stack_ = nullptr;
  size_t stack_size_ = 0;
};

}  // namespace weft::sim
