// Clock, sleeping and waking, shared memory.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "os/clock.hpp"
#include "os/processor.hpp"
#include "os/shared_memory.hpp"

namespace {

using namespace weft;

constexpr uint64_t second = 1'000'000'000;

TEST(Clock, NeverRunsBackAndCountsNanoseconds) {
  const uint64_t start = os::now_ns();
  uint64_t last = start;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t now = os::now_ns();
    EXPECT_GE(now, last);
    last = now;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_GE(os::now_ns() - start, 3'000'000u);
}

TEST(Processor, KnowsTheMachine) {
  EXPECT_GE(os::processor_count(), 1u);
  EXPECT_GE(os::physical_memory(), uint64_t{1} << 28);
  EXPECT_FALSE(os::host_name().empty());
}

TEST(Processor, BindsToTheNthAllowedProcessorAndToNoOther) {
  std::thread([] {
    EXPECT_FALSE(os::bind_to_processor(os::processor_count()));
    EXPECT_TRUE(os::bind_to_processor(os::processor_count() - 1));
    EXPECT_EQ(os::processor_count(), 1u);
  }).join();
}

TEST(Futex, ReturnsAtOnceIfTheWordHasChanged) {
  std::atomic<uint32_t> word{1};
  const uint64_t start = os::now_ns();
  os::futex_wait(word, 0, 5 * second);
  EXPECT_LT(os::now_ns() - start, 2 * second);
}

TEST(Futex, ReturnsWhenTheTimeIsOver) {
  std::atomic<uint32_t> word{0};
  const uint64_t start = os::now_ns();
  os::futex_wait(word, 0, 3'000'000);
  EXPECT_GE(os::now_ns() - start, 2'000'000u);
}

TEST(Futex, IsWoken) {
  std::atomic<uint32_t> word{0};
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    word.store(1);
    os::futex_wake_all(word);
  });
  const uint64_t start = os::now_ns();
  while (word.load() == 0) os::futex_wait(word, 0, 10 * second);
  EXPECT_LT(os::now_ns() - start, 5 * second);
  waker.join();
}

TEST(Processor, ShortTurnsChangeNeitherPolicyNorNice) {
  const int policy = sched_getscheduler(0);
  const int nice = std::min(getpriority(PRIO_PROCESS, 0) + 3, 19);
  std::thread([=] {
    setpriority(PRIO_PROCESS, 0, nice);  // of this thread
    os::take_short_turns();
    EXPECT_EQ(sched_getscheduler(0), policy);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1000);
  }).join();
}

TEST(SharedMemory, IsZeroAndSharedBetweenProcesses) {
  os::SharedMemory memory;
  ASSERT_TRUE(os::SharedMemory::create("test", 1 << 20, memory).ok());
  os::Mapping mapping;
  ASSERT_TRUE(os::Mapping::map(memory, 1 << 20, mapping).ok());
  for (size_t i = 0; i < 1 << 20; ++i) ASSERT_EQ(mapping.address()[i], std::byte{0});
  const std::string reference = memory.reference();
  const pid_t child = fork();
  if (child == 0) {
    os::SharedMemory opened;
    os::Mapping theirs;
    const bool good = os::SharedMemory::open(reference, opened).ok() && os::Mapping::map(opened, 8192, theirs).ok();
    if (good) theirs.address()[4097] = std::byte{42};
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mapping.address()[4097], std::byte{42});
}

TEST(SharedMemory, TakesNoMemoryUntilItIsTouched) {
  os::SharedMemory memory;
  const size_t huge = size_t{64} << 30;
  ASSERT_TRUE(os::SharedMemory::create("test", huge, memory).ok());
  os::Mapping mapping;
  ASSERT_TRUE(os::Mapping::map(memory, huge, mapping).ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapping.address()) % (2 << 20), 0u) << "huge pages need this alignment";
  mapping.address()[huge - 1] = std::byte{1};
  EXPECT_EQ(mapping.address()[huge - 1], std::byte{1});
}

TEST(SharedMemory, AReferenceToNothingIsAnErrorWithAReason) {
  os::SharedMemory memory;
  testing::internal::CaptureStderr();
  EXPECT_EQ(os::SharedMemory::open("/proc/1/fd/99999", memory).code(), WEFT_ERR_SYSTEM);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("/proc/1/fd/99999"), std::string::npos);
}

TEST(SharedMemory, MappingsMove) {
  os::SharedMemory memory;
  ASSERT_TRUE(os::SharedMemory::create("test", 1 << 16, memory).ok());
  os::Mapping first, second_one;
  ASSERT_TRUE(os::Mapping::map(memory, 1 << 16, first).ok());
  first.address()[5] = std::byte{9};
  second_one = std::move(first);
  EXPECT_EQ(second_one.address()[5], std::byte{9});
  EXPECT_EQ(first.address(), nullptr);
}

TEST(CommitMemory, KeepsTheContentAndNeedsNoAlignment) {
  os::SharedMemory memory;
  ASSERT_TRUE(os::SharedMemory::create("test", 8 << 20, memory).ok());
  os::Mapping mapping;
  ASSERT_TRUE(os::Mapping::map(memory, 8 << 20, mapping).ok());
  mapping.address()[(3 << 20) + 5] = std::byte{7};
  for (bool huge : {false, true}) os::commit_memory(mapping.address() + 77, (7 << 20) + 3, huge);
  os::commit_memory(mapping.address() + 100, 0, true);
  EXPECT_EQ(mapping.address()[(3 << 20) + 5], std::byte{7});
  EXPECT_EQ(mapping.address()[(3 << 20) + 6], std::byte{0});
}

}  // namespace
