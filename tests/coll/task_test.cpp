// Coroutine tasks: they start at once, only the scheduler resumes them, and the stack does not grow with what they do.
#include "coll/task.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace {

using weft::coll::FramePool;
using weft::coll::Scheduler;
using weft::coll::Task;
using weft::coll::Waiter;

struct Gate : Waiter {
  Gate(Scheduler& s, const bool& o) : scheduler(s), open(o) {}
  bool await_ready() const { return open; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter& waiter) { return static_cast<Gate&>(waiter).open; };
    scheduler.add(*this);
  }
  void await_resume() {}
  Scheduler& scheduler;
  const bool& open;
};

Task at_once(Scheduler&, uint64_t& count) {
  ++count;
  co_return;
}

Task many_at_once(Scheduler& scheduler, uint64_t& count, uint64_t times) {
  for (uint64_t i = 0; i < times; ++i) co_await at_once(scheduler, count);
}

Task after(Scheduler& scheduler, const bool& open, uint64_t& count) {
  co_await Gate(scheduler, open);
  ++count;
}

// Each of a long row of tasks waits for the one before.
Task row(Scheduler& scheduler, const bool& open, uint64_t& count, uint64_t times) {
  for (uint64_t i = 0; i < times; ++i) co_await after(scheduler, open, count);
}

TEST(Task, StartsAtOnceAndStopsWhereItMustWait) {
  Scheduler scheduler;
  bool open = false;
  uint64_t count = 0;
  const Task task = after(scheduler, open, count);
  EXPECT_FALSE(task.ended());
  EXPECT_EQ(scheduler.run(), 0);
  open = true;
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(scheduler.run(), 1);
  EXPECT_TRUE(task.ended());
  EXPECT_EQ(count, 1u);
  EXPECT_TRUE(scheduler.idle());
}

// Waits for ever, and says so to the scheduler in a way of its own.
struct Entered : Waiter {
  explicit Entered(std::function<void(Waiter&)> how) : enter(std::move(how)) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    handle = awaiting;
    ready = [](Waiter&) { return false; };
    enter(*this);
  }
  void await_resume() {}
  std::function<void(Waiter&)> enter;
};

Task wait(Scheduler&, std::function<void(Waiter&)> enter) { co_await Entered(std::move(enter)); }

// What others write wakes a rank only where that may let a task go on.
TEST(Task, TheSchedulerKnowsWhichMemoryItsTasksWaitFor) {
  uint64_t words[4] = {};
  const auto* const bytes = reinterpret_cast<const std::byte*>(words);
  Scheduler scheduler;
  EXPECT_FALSE(scheduler.concerns(bytes, sizeof words));
  const Task independent = wait(scheduler, [&](Waiter& waiter) { scheduler.add_independent(waiter); });
  EXPECT_FALSE(scheduler.concerns(bytes, sizeof words));
  const Task for_word = wait(scheduler, [&](Waiter& waiter) { scheduler.add(waiter, &words[1], 1); });
  EXPECT_FALSE(scheduler.concerns(bytes, 8));
  EXPECT_TRUE(scheduler.concerns(bytes, 9));
  EXPECT_TRUE(scheduler.concerns(bytes + 8, 8));
  EXPECT_TRUE(scheduler.concerns(bytes + 15, 8));
  EXPECT_FALSE(scheduler.concerns(bytes + 16, 16));
  EXPECT_FALSE(scheduler.concerns(bytes + 8, 0));
  const Task for_anything = wait(scheduler, [&](Waiter& waiter) { scheduler.add(waiter); });
  EXPECT_TRUE(scheduler.concerns(bytes + 16, 16));
}

TEST(Task, AHundredThousandSynchronousCompletionsNeedNoStack) {
  Scheduler scheduler;
  uint64_t count = 0;
  const Task task = many_at_once(scheduler, count, 100'000);
  EXPECT_TRUE(task.ended());
  EXPECT_EQ(count, 100'000u);
}

TEST(Task, ARowOfAwaitedTasksNeedsNoStack) {
  Scheduler scheduler;
  bool open = false;
  uint64_t count = 0;
  const Task task = row(scheduler, open, count, 10'000);
  open = true;
  scheduler.run();
  EXPECT_TRUE(task.ended());
  EXPECT_EQ(count, 10'000u);
}

TEST(Task, RunInsideRunDoesNothing) {
  Scheduler scheduler;
  struct Nested {
    static Task run(Scheduler& s, const bool& open, int& inner) {
      co_await Gate(s, open);
      inner = s.run();
    }
  };
  bool open = false;
  int inner = 7;
  const Task task = Nested::run(scheduler, open, inner);
  open = true;
  EXPECT_EQ(scheduler.run(), 1);
  EXPECT_EQ(inner, 0);
}

TEST(FramePool, GivesTheSameMemoryAgain) {
  FramePool pool;
  for (const size_t size : {size_t{1}, size_t{100}, size_t{128}, size_t{5000}}) {
    void* first = pool.allocate(size);
    FramePool::release(first);
    void* second = pool.allocate(size);
    EXPECT_EQ(first, second);
    FramePool::release(second);
  }
  FramePool::release(pool.allocate(size_t{1} << 20));
}

}  // namespace
