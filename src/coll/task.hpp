// Collectives under way are coroutines. A Task starts at once, on the caller's stack, and runs until it first has to
// wait. From then on the scheduler alone resumes it, inside a rank's progress: neither a message handler nor the end of
// another task does. A task that awaits another is put on the scheduler's list when that ends, so the stack is never
// deeper than tasks are nested in the source, however many operations complete without waiting.
//
// Frames come from a pool that belongs to the scheduler, found through the coroutine's first parameter (anything with a
// scheduler()). All of it is used by one thread at a time; the engine's lock sees to that.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace weft::coll {

/// Memory for coroutine frames and other small things that live as long as a collective: free lists of powers of two.
class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool();
  void* allocate(size_t size);
  /// Finds the pool it came from by itself.
  static void release(void* block);

 private:
  // Before each block. Frames hold operations, whose parts are cache lines, and a compiler asks for no more than 16.
  struct alignas(64) Header {
    FramePool* pool;
    union {
      size_t size_class;
      Header* next;
    };
  };
  static constexpr size_t smallest = 128;
  static constexpr size_t classes = 8;  // 128 bytes to 16 KiB; larger ones are not kept

  std::array<Header*, classes> free_{};
};

/// A suspended coroutine and what it waits for. Lives in the coroutine's frame.
struct Waiter {
  bool (*ready)(Waiter&) = nullptr;  // null: may go on at once
  std::coroutine_handle<> handle;
};

class Scheduler {
 public:
  Scheduler& scheduler() { return *this; }
  FramePool& frames() { return frames_; }
  void add(Waiter& waiter) { waiting_.push_back({&waiter}); }
  /// One whose `ready` does not look at memory that others write to.
  void add_independent(Waiter& waiter) { waiting_.push_back({.waiter = &waiter, .independent = true}); }
  /// One that can go on when the word has this value; `ready` is not asked.
  void add(Waiter& waiter, const uint64_t* word, uint64_t value) { waiting_.push_back({&waiter, word, value}); }
  /// Whether one may be able to go on when others have written to this memory.
  bool concerns(const std::byte* begin, size_t size) const;
  bool idle() const { return waiting_.empty(); }
  /// Resumes every coroutine that can go on, until none can. Returns how often one was resumed. Does nothing when
  /// called from inside itself.
  int run();

 private:
  // Most wait for a word. Here it is looked at without the frame, which is another cache line.
  struct Wait {
    Waiter* waiter;
    const uint64_t* word = nullptr;
    uint64_t value = 0;
    bool independent = false;

    bool is_over() const {
      if (word == nullptr) return waiter->ready == nullptr || waiter->ready(*waiter);
      return __atomic_load_n(word, __ATOMIC_ACQUIRE) == value;  // what it announces is visible
    }
  };

  FramePool frames_;
  std::vector<Wait> waiting_;
  std::vector<Wait> looked_at_;  // by run()
  bool running_ = false;
};

class [[nodiscard]] Task {
 public:
  struct promise_type {
    template <class Owner, class... Rest>
    explicit promise_type(Owner& first, const Rest&...) : scheduler(&first.scheduler()) {}
    template <class Owner, class... Rest>
    static void* operator new(size_t size, Owner& first, const Rest&...) {
      return first.scheduler().frames().allocate(size);
    }
    static void operator delete(void* frame) { FramePool::release(frame); }

    struct Final {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        promise_type& promise = ended.promise();
        if (promise.continuation.handle) promise.scheduler->add(promise.continuation);
        if (promise.on_end != nullptr) promise.on_end(promise.owner);
      }
      void await_resume() noexcept {}
    };

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept { std::terminate(); }

    Scheduler* scheduler;
    Waiter continuation;
    void (*on_end)(void*) = nullptr;
    void* owner = nullptr;
  };

  Task() = default;
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }
  /// Gives the frame back; the task has ended.
  void clear() {
    if (frame_) std::exchange(frame_, {}).destroy();
  }
  /// For a task that nobody awaits and that has not ended: calls on_end(owner) when it does, with the frame still
  /// there.
  void notify(void (*on_end)(void*), void* owner) {
    frame_.promise().on_end = on_end;
    frame_.promise().owner = owner;
  }
  bool ended() const { return !frame_ || frame_.done(); }

  bool await_ready() const { return ended(); }
  void await_suspend(std::coroutine_handle<> awaiting) { frame_.promise().continuation.handle = awaiting; }
  void await_resume() {}

 private:
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

}  // namespace weft::coll
