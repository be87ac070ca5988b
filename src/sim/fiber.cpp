#include "sim/fiber.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <boost/context/preallocated.hpp>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/parse.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#define WEFT_FIBER_ASAN 1
#else
#define WEFT_FIBER_ASAN 0
#endif

namespace weft::sim {
namespace {

// The kernel allows 65,530 mappings, and a guard splits one into two; the rest is left to others.
constexpr uint32_t most_guarded = 24'000;

// Who was switched from: whoever runs next keeps where it rests.
Fiber* left = nullptr;

// boost::context wants to give a stack back; Stacks owns it.
struct NoAllocator {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Status Stacks::make(uint32_t count, size_t size, Stacks& stacks) {
  Stacks made;
  made.guarded_ = count <= most_guarded;
  made.stride_ = (size + page - 1) / page * page + guard;
  const std::string advice = "raise ulimit -v: a rank takes " + base::size_text(made.stride_) +
                             " of address space, WEFT_SIM_STACK and 16 MiB below it, and its segment";
  const Status status =
      os::Mapping::reserve(count * made.stride_, "the stacks of simulated ranks", advice.c_str(), made.memory_);
  if (!status.ok()) return status;
  if (made.guarded_)
    for (uint32_t stack = 0; stack < count; ++stack)
      os::forbid_access(made.memory_.address() + stack * made.stride_, guard);
  stacks = std::move(made);
  return {};
}

bool Stacks::is_below_one(const void* address) const {
  const auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(memory_.address());
  return guarded_ && offset < memory_.size() && offset % stride_ < guard;
}

Fiber::~Fiber() {
  // One that has not ended is left where it is: nothing on its stack can be undone any more.
  if (rest_) new (std::nothrow) boost::context::fiber(std::move(rest_));
}

void Fiber::adopt(const ThreadLocals& locals) {
  locals_ = &locals;
  kept_ = std::make_unique<std::byte[]>(locals.size());
#if WEFT_FIBER_ASAN
  pthread_attr_t attributes;
  void* lowest = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &lowest, &stack_size_);
    pthread_attr_destroy(&attributes);
  }
  stack_ = lowest;
#endif
}

void Fiber::prepare(const ThreadLocals& locals, std::byte* lowest, size_t size, std::function<Fiber&()> body) {
  locals_ = &locals;
  kept_ = std::make_unique<std::byte[]>(locals.size());
  locals.put_initial(kept_.get());
  stack_ = lowest;
  stack_size_ = size;
  body_ = std::move(body);
  boost::context::stack_context stack;
  stack.sp = lowest + size;
  stack.size = size;
  const boost::context::preallocated place(lowest + size, size, stack);
  rest_ = boost::context::fiber(std::allocator_arg, place, NoAllocator(), [this](boost::context::fiber&& from) {
    arrive(*this, std::move(from));
    Fiber& next = body_();
#if WEFT_FIBER_ASAN
    __sanitizer_start_switch_fiber(nullptr, next.stack_, next.stack_size_);
#endif
    left = nullptr;
    next.enter();
    return std::move(next.rest_);
  });
}

// The fiber runs now; `from` is where the one before rests.
void Fiber::arrive(Fiber& fiber, boost::context::fiber&& from) {
  if (left != nullptr) left->rest_ = std::move(from);
#if WEFT_FIBER_ASAN
  __sanitizer_finish_switch_fiber(fiber.fake_stack_, nullptr, nullptr);
#else
  (void)fiber;
#endif
}

void Fiber::leave() {
  locals_->save(kept_.get());
  std::memcpy(static_cast<void*>(&exceptions_), abi::__cxa_get_globals(), sizeof exceptions_);
}

void Fiber::enter() {
  std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &exceptions_, sizeof exceptions_);
  locals_->load(kept_.get());
}

void Fiber::switch_to(Fiber& to) {
  leave();
#if WEFT_FIBER_ASAN
  __sanitizer_start_switch_fiber(&fake_stack_, to.stack_, to.stack_size_);
#endif
  left = this;
  to.enter();
  arrive(*this, std::move(to.rest_).resume());
}

}  // namespace weft::sim
