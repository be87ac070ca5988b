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

// Thread-local variables up to this size are kept on the stack, beside what else is needed to go on: with many fibers
// each other place that is looked at has left the caches since the last time.
constexpr size_t most_on_stack = 1024;

// What the C++ library keeps of a thread's exceptions: one may be handled here while another fiber runs.
struct Exceptions {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};
Exceptions exceptions_of_thread() {
  Exceptions exceptions;
  std::memcpy(static_cast<void*>(&exceptions), abi::__cxa_get_globals(), sizeof exceptions);
  return exceptions;
}
void set_exceptions_of_thread(const Exceptions& exceptions) {
  std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &exceptions, sizeof exceptions);
}

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
  own_kept_ = std::make_unique<std::byte[]>(locals.size());
  kept_ = own_kept_.get();
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
  own_kept_ = std::make_unique<std::byte[]>(locals.size());
  kept_ = own_kept_.get();
  locals.put_initial(kept_);
  stack_ = lowest;
  stack_size_ = size;
  body_ = std::move(body);
  boost::context::stack_context stack;
  stack.sp = lowest + size;
  stack.size = size;
  const boost::context::preallocated place(lowest + size, size, stack);
  rest_ = boost::context::fiber(std::allocator_arg, place, NoAllocator(), [this](boost::context::fiber&& from) {
    arrive(*this, std::move(from));
    set_exceptions_of_thread({});
    locals_->load(kept_);
    Fiber& next = body_();
    kept_ = own_kept_.get();
#if WEFT_FIBER_ASAN
    __sanitizer_start_switch_fiber(nullptr, next.stack_, next.stack_size_);
#endif
    left = nullptr;
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

void Fiber::switch_to(Fiber& to) {
  const size_t size = locals_->size();
  std::byte* const kept = size <= most_on_stack ? static_cast<std::byte*>(__builtin_alloca(size)) : own_kept_.get();
  kept_ = kept;
  locals_->save(kept);
  const Exceptions exceptions = exceptions_of_thread();
#if WEFT_FIBER_ASAN
  __sanitizer_start_switch_fiber(&fake_stack_, to.stack_, to.stack_size_);
#endif
  left = this;
  arrive(*this, std::move(to.rest_).resume());
  set_exceptions_of_thread(exceptions);
  locals_->load(kept);
}

}  // namespace weft::sim
